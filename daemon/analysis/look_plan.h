#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "daemon/base/result.h"
#include "daemon/model/session_spec.h"
#include "daemon/stats/sequential_boundary.h"

namespace benchd {

/// When a session looks at its data and by which law: what method, limits and level of a spec mean
/// together, checked once so that nothing after it has to ask again. A value. Counts are blocks.
struct LookPlan {
  double alpha = 0;                           ///< as the user states it
  bool one_sided = false;                     ///< each bound at alpha; printed p-values are halved
  std::uint64_t first_look = 8;               ///< n0
  std::optional<std::uint64_t> horizon;       ///< last look of the horizon boundary
  std::optional<std::uint64_t> fixed_blocks;  ///< one look, after exactly that many

  /// The number of blocks at which a benchmark is over in any case.
  std::optional<std::uint64_t> BlockLimit() const { return fixed_blocks ? fixed_blocks : horizon; }
  /// The number of blocks above `blocks` at which a look may next decide anything.
  std::uint64_t NextLook(std::uint64_t blocks) const {
    return fixed_blocks ? std::max(*fixed_blocks, blocks + 1) : std::max(first_look, blocks + 1);
  }
  /// What the two-sided formulas take for a level the user states as `alpha`.
  double TwoSided(double level) const { return one_sided ? 2 * level : level; }
};

/// @errors kInvalidArgument when method, limits and level do not fit together; kUnimplemented for
///         what is declared and not offered yet.
Result<LookPlan> PlanLooks(const SessionSpec& spec);

/// One level with its boundary; the critical t of a look is computed once for all comparisons.
class Level {
 public:
  /// @param stated  the level of one comparison as the user would state it: alpha, or alpha / G.
  Level(const LookPlan& plan, double stated);

  double stated() const { return stated_; }
  const SequentialBoundary& boundary() const { return boundary_; }
  /// Of a look under watching, with n >= first_look pairs.
  double CriticalT(std::uint64_t n);
  /// Of the one look of a fixed plan, with n >= 2 pairs.
  double FixedT(std::uint64_t n) const;

 private:
  struct Slot {
    std::uint64_t n = 0;
    double t = std::numeric_limits<double>::quiet_NaN();
  };

  double stated_;
  double two_sided_;
  SequentialBoundary boundary_;
  // Comparisons differ in n only by missing values, so a few recent ones are enough.
  std::array<Slot, 16> recent_;
};

}  // namespace benchd
