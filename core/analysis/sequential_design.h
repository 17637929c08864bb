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

/// When a session looks at its data, and by which law. Combines the method, limits and level of a
/// spec, checked once so that later code need not check them again. A value. Counts are blocks.
struct SequentialDesign {
  Method method = Method::kPaired;  ///< kFixed only if `runs` was requested under that name
  Estimator estimator;
  Rule rule;
  bool paired = true;  ///< the runs of a block are pairs; else the arms are independent
  bool coin = false;   ///< the arm of each run is drawn, so a block may lack one
  std::uint64_t seed = 0;
  std::uint64_t warmup = 0;                   ///< discarded blocks before these
  double alpha = 0;                           ///< as the user states it
  bool one_sided = false;                     ///< each bound at alpha; printed p-values are halved
  std::uint64_t first_look = 8;               ///< n0
  std::optional<std::uint64_t> horizon;       ///< last look of the horizon boundary, in values
  std::optional<std::uint64_t> fixed_blocks;  ///< one look, after exactly that many
  std::optional<std::uint64_t> last_block;    ///< `max_runs`
  bool table = false;  ///< offline: the one look, if any, uses the values at hand

  /// Whether a block may lack an arm.
  bool PartBlocks() const { return coin || (table && !paired); }
  /// Whether there is only one look, even if its block is not yet known.
  bool OneLook() const {
    return fixed_blocks || method == Method::kLayouts || (table && method == Method::kFixed);
  }
  /// The number of blocks after which a benchmark ends in any case.
  std::optional<std::uint64_t> BlockLimit() const {
    return fixed_blocks ? fixed_blocks : last_block;
  }
  /// The method of a look under watching.
  Method WatchedMethod() const {
    if (method == Method::kLayouts) return method;
    if (!paired) return Method::kWelch;
    return method == Method::kExactT ? Method::kExactT : Method::kPaired;
  }
  /// The number of blocks, above `blocks`, at which a look can next decide.
  std::uint64_t NextLook(std::uint64_t blocks) const {
    return fixed_blocks ? std::max(*fixed_blocks, blocks + 1) : std::max(first_look, blocks + 1);
  }
  /// The level for the two-sided formulas, if the user states `level`.
  double TwoSided(double level) const { return one_sided ? 2 * level : level; }
  /// The same for metrics without a gate. A flag can err in both directions, so it is always
  /// two-sided.
  SequentialDesign ForInfo() const {
    SequentialDesign design = *this;
    design.one_sided = false;
    return design;
  }
};

/// Whether the data come from a session, or from a table of existing measurements.
enum class DataSource { kSession, kTable };

/// @errors kInvalidArgument if method, estimator, rule, schedule, limits and level do not fit
/// together.
Result<SequentialDesign> MakeSequentialDesign(const SessionSpec& spec,
                                              DataSource source = DataSource::kSession);

/// Whether `quantile:P` can have an interval at the level that so many gates share. Otherwise it is
/// rejected before any run. MakeSequentialDesign() calls it for the gates that the spec names, and
/// it is called again when all gates are known.
/// @errors kInvalidArgument that suggests more runs or fewer gates.
Result<void> CheckQuantileRuns(const SequentialDesign& design, std::size_t gates);

/// One level with its boundary; the critical t of a look is computed once for all comparisons.
class SignificanceLevel {
 public:
  /// @param stated  the level of one comparison as the user would state it: alpha, or alpha / G.
  SignificanceLevel(const SequentialDesign& design, double stated);

  double stated() const { return stated_; }
  /// The level for the two-sided formulas.
  double two_sided() const { return two_sided_; }
  const SequentialBoundary& boundary() const { return boundary_; }
  /// For the method exact-t only.
  const std::optional<ExactTBoundary>& exact_t() const { return exact_t_; }
  /// For a look under watching, with n >= first_look pairs.
  double CriticalT(std::uint64_t n) const;
  /// For the one look of a fixed design, with n >= 2 pairs.
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
  // Comparisons have different n only if values are missing, so a few recent ones suffice.
  mutable std::array<Slot, 16> recent_;
};

}  // namespace benchd
