#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/base/result.h"
#include "core/model/session_spec.h"
#include "core/stats/early_look.h"
#include "core/stats/exact_t.h"
#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {

/// The design of a session: when it looks at its data, and by which method. It combines the method,
/// limits and level of a spec, which are checked once so that later code need not check them again.
/// Counts are in blocks.
struct SequentialDesign {
  Method method = Method::kPaired;  ///< kFixed only if the user requested the method by that name
  Estimator estimator;
  Rule rule;
  bool paired = true;  ///< the runs of a block are pairs; otherwise the arms are independent
  bool coin = false;   ///< the arm of each run is drawn, so a block may lack an arm
  std::uint64_t seed = 0;
  std::uint64_t warmup = 0;          ///< number of discarded blocks before the measured blocks
  double alpha = 0;                  ///< level as the user states it
  std::optional<double> pass_alpha;  ///< one-sided level of a pass, if it has one of its own
  bool one_sided = false;            ///< each bound at alpha; printed p-values are halved
  ErrorRate error_rate = ErrorRate::kFamily;
  /// n0, the first number of blocks with a look. For a watched quantile, it is at least the first
  /// number at which its order statistics can have an interval.
  std::uint64_t first_look = 8;
  /// The first number of blocks with an early look (stats/early_look.h), if there are any.
  std::optional<std::uint64_t> early_look;
  std::optional<std::uint64_t> horizon;       ///< last look of the horizon boundary, in values
  std::optional<std::uint64_t> fixed_blocks;  ///< one look, after exactly this number of blocks
  std::optional<std::uint64_t> last_block;    ///< the limit `max_runs`
  bool table = false;  ///< the data are a table; a single look uses all of its values

  /// Returns whether a block may lack an arm.
  bool PartBlocks() const { return coin || (table && !paired); }
  /// Returns whether there is only one look, even if its block is not yet known.
  bool OneLook() const {
    return fixed_blocks || method == Method::kLayouts || (table && method == Method::kFixed);
  }
  /// Returns whether gates can be exact. The rule `precision` asks for an interval, which exact
  /// gates do not have, and lognormal-mean has no differences, by which they are judged if their
  /// values vary.
  bool AllowsExact() const {
    return rule.kind == RuleKind::kMargin && estimator.kind != EstimatorKind::kLognormalMean;
  }
  /// Returns whether several gates are decided together, by their p-values (family_decision.h). The
  /// rule `precision` decides by widths, and the p-value of a bootstrap is too coarse, by which
  /// quantiles are judged at one look.
  bool DecidesTogether() const {
    return rule.kind == RuleKind::kMargin && estimator.kind != EstimatorKind::kQuantile;
  }
  /// Returns the number of blocks after which a benchmark ends in any case.
  std::optional<std::uint64_t> BlockLimit() const {
    return fixed_blocks ? fixed_blocks : last_block;
  }
  /// Returns the method of a look under watching.
  Method WatchedMethod() const {
    if (method == Method::kLayouts) return method;
    if (!paired) return Method::kWelch;
    return method == Method::kExactT ? Method::kExactT : Method::kPaired;
  }
  /// Returns the next number of blocks, above `blocks`, at which a look can decide.
  std::uint64_t NextLook(std::uint64_t blocks) const {
    if (early_look && blocks < kLastEarlyLook) return std::max(*early_look, blocks + 1);
    return fixed_blocks ? std::max(*fixed_blocks, blocks + 1) : std::max(first_look, blocks + 1);
  }
  /// Returns the level for the two-sided formulas if the user states `level`.
  double TwoSided(double level) const { return one_sided ? 2 * level : level; }
  /// Returns the smaller level of both ends, for the two-sided formulas. Where both ends need an
  /// interval, it decides how many values are enough.
  double SmallerTwoSided() const {
    return pass_alpha ? std::min(TwoSided(alpha), 2 * *pass_alpha) : TwoSided(alpha);
  }
  /// Returns the design for metrics without a gate. It is always two-sided and has one level,
  /// because a flag can err in both directions.
  SequentialDesign ForInfo() const {
    SequentialDesign design = *this;
    design.one_sided = false;
    design.pass_alpha.reset();
    return design;
  }
};

/// The source of the data: a session, or a table of existing measurements.
enum class DataSource { kSession, kTable };

/// Creates the design of a session or table.
///
/// @errors kInvalidArgument if method, estimator, rule, schedule, limits and level cannot be
/// combined
Result<SequentialDesign> MakeSequentialDesign(const SessionSpec& spec,
                                              DataSource source = DataSource::kSession);

/// Checks whether `quantile:P` can have an interval within the largest number of runs, if there is
/// one, and if `gates` gates share the level, so that an impossible request is rejected before the
/// first run. MakeSequentialDesign() calls it for the gates that the spec names, and it is called
/// again when all gates are known.
/// @errors kInvalidArgument, which suggests more runs or fewer gates
Result<void> CheckQuantileRuns(const SequentialDesign& design, std::size_t gates);

/// Returns the smallest `max_runs` with which order statistics have both ends of their interval at
/// the last look. `design` has a limit of runs that is too small for that.
///
/// @param quantile   in (0, 1); 0.5 for a median
/// @param level      two-sided level of the watched interval
/// @param intervals  number of intervals of one arm that share the level of a look
/// @return nothing if a million runs are not enough
std::optional<std::uint64_t> FewestRunsToHorizon(const SequentialDesign& design, double quantile,
                                                 double level, int intervals);

/// The level of one end of an interval, with its boundary. The critical t of a look is computed
/// once for all comparisons.
class EndLevel {
 public:
  /// @param two_sided  the level for the two-sided formulas: twice the level of this end
  EndLevel(const SequentialDesign& design, double two_sided);

  /// Returns the level for the two-sided formulas.
  double two_sided() const { return two_sided_; }
  const SequentialBoundary& boundary() const { return boundary_; }
  /// Returns the boundary of the method exact-t, which only that method has.
  const std::optional<ExactTBoundary>& exact_t() const { return exact_t_; }
  /// Returns the critical t of a look under watching with n >= first_look pairs.
  double CriticalT(std::uint64_t n) const;
  /// Returns the critical t of the one look of a fixed design with n >= 2 pairs.
  double FixedT(std::uint64_t n) const;

 private:
  struct Slot {
    std::uint64_t n = 0;
    double t = std::numeric_limits<double>::quiet_NaN();
  };

  double two_sided_;
  SequentialBoundary boundary_;
  std::optional<ExactTBoundary> exact_t_;
  // A cache by n. Comparisons have different n only if values are missing, so a few slots suffice.
  mutable std::array<Slot, 16> recent_;
};

/// The interval of a look.
struct LookInterval {
  Interval ends;
  /// The upper end at the level of a regression. Absent if `ends` has that level at both ends, or
  /// if that level has no interval.
  std::optional<double> upper_stated;
};

/// The significance level of a comparison. Both ends of its interval have the same level, unless
/// passes have a level of their own (`pass_alpha`): then that is the level of the upper end, which
/// establishes a pass. Upper means worse, as on the scale of the estimate.
class SignificanceLevel {
 public:
  /// @param stated  the level of one comparison as the user would state it: alpha, or alpha / G
  /// @param passes  the one-sided level of a pass of one comparison, if it has one of its own
  /// @param shared  whether the level is a share of several gates that are decided together
  /// @param early   whether early looks have their share of the level, which the ends then lack
  SignificanceLevel(const SequentialDesign& design, double stated,
                    std::optional<double> passes = std::nullopt, bool shared = false,
                    bool early = false);

  double stated() const { return stated_; }
  /// Returns the one-sided level of a pass, if it has one of its own.
  const std::optional<double>& passes() const { return passes_; }
  /// Returns whether the gates at this level are decided together (family_decision.h).
  bool shared() const { return shared_; }
  /// Returns whether early looks have a share of the level.
  bool early() const { return early_; }
  /// Returns the one-sided level of all early looks for a regression, or for a pass.
  double EarlyRegressionLevel() const { return EarlyPart(lower()); }
  double EarlyPassLevel() const { return EarlyPart(upper()); }
  const EndLevel& lower() const { return lower_; }
  const EndLevel& upper() const { return upper_ ? *upper_ : lower_; }

  /// Returns the level, for the two-sided formulas, and the boundary of the p-value. They are those
  /// of the lower end.
  double two_sided() const { return lower_.two_sided(); }
  const SequentialBoundary& boundary() const { return lower_.boundary(); }
  const std::optional<ExactTBoundary>& exact_t() const { return lower_.exact_t(); }

  /// Computes `critical` of the level of each end. It is called once if both ends have one level.
  template <typename Critical>
  CriticalValues AtEnds(Critical critical) const {
    const double low = critical(lower_);
    return {low, upper_ ? critical(*upper_) : low};
  }
  /// Returns the critical t of both ends at a look under watching with n >= first_look pairs.
  CriticalValues CriticalT(std::uint64_t n) const {
    return AtEnds([n](const EndLevel& end) { return end.CriticalT(n); });
  }
  /// Returns the critical t of both ends at the one look of a fixed design with n >= 2 pairs.
  CriticalValues FixedT(std::uint64_t n) const {
    return AtEnds([n](const EndLevel& end) { return end.FixedT(n); });
  }
  /// Combines one end each of two intervals, for methods that compute the interval of a two-sided
  /// level. An end is infinite if only the other end's level has an interval.
  ///
  /// @param at  a function of the end's level that returns std::optional<Interval>
  template <typename At>
  std::optional<LookInterval> EndsOf(At at) const {
    const std::optional<Interval> low = at(lower_);
    if (!upper_) return low ? std::optional(LookInterval{*low, {}}) : std::nullopt;
    const std::optional<Interval> high = at(*upper_);
    if (!low && !high) return std::nullopt;
    constexpr double kUnbounded = std::numeric_limits<double>::infinity();
    LookInterval both{{low ? low->lo : -kUnbounded, high ? high->hi : kUnbounded}, {}};
    if (low) both.upper_stated = low->hi;
    return both;
  }
  /// Computes the interval of a look from the critical values of its ends.
  ///
  /// @param at  a function of CriticalValues that returns std::optional<Interval>
  template <typename At>
  std::optional<LookInterval> IntervalOf(const CriticalValues& critical, At at) const {
    const std::optional<Interval> ends = at(critical);
    if (!ends) return std::nullopt;
    LookInterval both{*ends, {}};
    if (!upper_) return both;
    const std::optional<Interval> stated = at(CriticalValues{critical.low, critical.low});
    if (stated) both.upper_stated = stated->hi;
    return both;
  }

 private:
  static double EarlyPart(const EndLevel& end);

  double stated_;
  std::optional<double> passes_;
  bool shared_;
  bool early_;
  EndLevel lower_;
  std::optional<EndLevel> upper_;  // absent: as `lower_`
};

}  // namespace benchd
