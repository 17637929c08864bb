#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/base/result.h"
#include "core/model/session_spec.h"
#include "core/stats/exact_t.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// When a session looks at its data and by which law: what method, limits and level of a spec mean
/// together, checked once so that nothing after it has to ask again. A value. Counts are blocks.
struct SequentialDesign {
  Method method = Method::kPaired;  ///< kFixed only where `runs` was asked for under that name
  Estimator estimator;
  Rule rule;
  bool paired = true;  ///< the runs of a block are pairs; else the arms are independent
  bool coin = false;   ///< the arm of each run is drawn: a block may lack one
  std::uint64_t seed = 0;
  std::uint64_t warmup = 0;                   ///< discarded blocks before these
  double alpha = 0;                           ///< as the user states it
  bool one_sided = false;                     ///< each bound at alpha; printed p-values are halved
  std::uint64_t first_look = 8;               ///< n0
  std::optional<std::uint64_t> horizon;       ///< last look of the horizon boundary, in values
  std::optional<std::uint64_t> fixed_blocks;  ///< one look, after exactly that many
  std::optional<std::uint64_t> last_block;    ///< `max_runs`
  bool table = false;  ///< offline: the one look, if any, is at whatever there is

  /// A block may lack an arm.
  bool PartBlocks() const { return coin || (table && !paired); }
  /// One look only, whether or not it is known at how many blocks.
  bool OneLook() const {
    return fixed_blocks || method == Method::kLayouts || (table && method == Method::kFixed);
  }
  /// The number of blocks at which a benchmark is over in any case.
  std::optional<std::uint64_t> BlockLimit() const {
    return fixed_blocks ? fixed_blocks : last_block;
  }
  /// By which method a look under watching is taken.
  Method WatchedMethod() const {
    if (method == Method::kLayouts) return method;
    if (!paired) return Method::kWelch;
    return method == Method::kExactT ? Method::kExactT : Method::kPaired;
  }
  /// The number of blocks above `blocks` at which a look may next decide anything.
  std::uint64_t NextLook(std::uint64_t blocks) const {
    return fixed_blocks ? std::max(*fixed_blocks, blocks + 1) : std::max(first_look, blocks + 1);
  }
  /// What the two-sided formulas take for a level the user states as `alpha`.
  double TwoSided(double level) const { return one_sided ? 2 * level : level; }
  /// The same for what no gate asks about: a flag errs to either side, so it is two-sided always.
  SequentialDesign ForInfo() const {
    SequentialDesign design = *this;
    design.one_sided = false;
    return design;
  }
};

/// Whether a session asks, or a table of measurements that are there already.
enum class DataSource { kSession, kTable };

/// @errors kInvalidArgument when method, estimator, rule, schedule, limits and level do not fit
///         together.
Result<SequentialDesign> MakeSequentialDesign(const SessionSpec& spec,
                                              DataSource source = DataSource::kSession);

/// Whether `quantile:P` can have an interval at the level that so many gates share: what is known
/// to end without one is refused before the runs are spent on it. Asked when MakeSequentialDesign()
/// counts the gates that the spec names, and again when all are known.
/// @errors kInvalidArgument naming more runs, or fewer gates.
Result<void> CheckQuantileRuns(const SequentialDesign& design, std::size_t gates);

/// One level with its boundary; the critical t of a look is computed once for all comparisons.
class SignificanceLevel {
 public:
  /// @param stated  the level of one comparison as the user would state it: alpha, or alpha / G.
  SignificanceLevel(const SequentialDesign& design, double stated);

  double stated() const { return stated_; }
  /// What the two-sided formulas take.
  double two_sided() const { return two_sided_; }
  const SequentialBoundary& boundary() const { return boundary_; }
  /// Of the method exact-t only.
  const std::optional<ExactTBoundary>& exact_t() const { return exact_t_; }
  /// Of a look under watching, with n >= first_look pairs.
  double CriticalT(std::uint64_t n) const;
  /// Of the one look of a fixed design, with n >= 2 pairs.
  double FixedT(std::uint64_t n) const;

 private:
  struct Slot {
    std::uint64_t n = 0;
    double t = std::numeric_limits<double>::quiet_NaN();
  };

  double stated_;
  double two_sided_;
  SequentialBoundary boundary_;
  std::optional<ExactTBoundary> exact_t_;
  // Comparisons differ in n only by missing values, so a few recent ones are enough.
  mutable std::array<Slot, 16> recent_;
};

}  // namespace benchd
