#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/metric.h"
#include "core/model/session_spec.h"

namespace benchd {

enum class Verdict { kPass, kRegression, kUndecided };
BENCHD_NAMES(Verdict, "pass", "regression", "undecided")
enum class ComparisonRole { kGate, kInfo };
BENCHD_NAMES(ComparisonRole, "gate", "info")
/// What a verdict is based on. kExact is only used for a single gate: the values of each arm were
/// all equal.
enum class Basis { kInterval, kEstimate, kExact };
BENCHD_NAMES(Basis, "interval", "estimate", "exact")
enum class Flag { kNone, kImprovement, kWorse };
BENCHD_NAMES(Flag, "none", "improvement", "worse")

/// What the interval of a control says about it (analysis/controls.h): it establishes that the
/// change lies within the margin in both directions, that it lies beyond it in one, or neither.
enum class ControlState { kOpen, kUnchanged, kChanged };
BENCHD_NAMES(ControlState, "open", "unchanged", "changed")

/// An estimate with its interval. The ends are absent until the method has an interval.
struct Effect {
  double estimate = 0;
  std::optional<double> lo;
  std::optional<double> hi;
  bool operator==(const Effect&) const = default;
};
BENCHD_FIELDS(Effect, estimate, lo, hi)

/// The look at which a gate was decided. It is never revised. An end is absent if the interval is
/// unbounded there (exact-t decides against the margin itself).
struct Decision {
  std::uint64_t blocks = 0;
  std::optional<double> lo;
  std::optional<double> hi;
  /// The procedure over all gates that decided this one before its own interval did: "holm" or
  /// "fdr" (family_decision.h). Its interval then ends at the margin. kEarlyLook if an early look
  /// found a multiple. Empty otherwise.
  std::string by = {};
  bool operator==(const Decision&) const = default;
};
BENCHD_FIELDS(Decision, blocks, lo, hi, by)

/// Decision::by of an early look (stats/early_look.h).
inline constexpr const char* kEarlyLook = "early_look";

/// The second comparison of a gate that regressed in the first phase of its session
/// (SessionSpec::confirm). Its figures come from the runs of the second phase alone.
struct Confirmation {
  Verdict verdict = Verdict::kUndecided;  ///< of the second phase
  std::optional<Effect> change;           ///< like Comparison::change
  std::uint64_t blocks = 0;               ///< number of blocks of the benchmark in this phase
  std::optional<Effect> difference;       ///< like Comparison::difference
  std::string reason;                     ///< like Comparison::reason
  double confidence = 0;                  ///< coverage of the interval: 1 - alpha/k for k gates
  /// Comparison::reason of the regression in the first phase, which that of the gate may replace.
  std::string first_reason;
  bool operator==(const Confirmation&) const = default;
};
BENCHD_FIELDS(Confirmation, verdict, change, blocks, difference, reason, confidence, first_reason)

/// The remedy that would decide an undecided gate.
enum class Remedy {
  kMoreTime,
  kMoreRuns,      ///< a larger value of Limits::runs
  kMoreMaxRuns,   ///< a larger value of Limits::max_runs
  kMoreLayouts,   ///< more builds of each group
  kMoreRows,      ///< more rows of a table
  kSingleRounds,  ///< single rounds, for a table that contains only means
  kOtherMargin,   ///< another margin: the change is too close to this one
  kHardlyAny,     ///< it would take more runs or builds than a session may have
  kNoneNeeded,    ///< the interval is as narrow as the rule requires
};
BENCHD_NAMES(Remedy, "more_time", "more_runs", "more_max_runs", "more_layouts", "more_rows",
             "single_rounds", "other_margin", "hardly_any", "none_needed")

/// The total effort that is expected until an undecided gate is decided (forecast.h).
struct Forecast {
  Remedy remedy = Remedy::kMoreTime;
  std::optional<double> seconds;      ///< time of measuring; absent = unknown
  std::optional<std::uint64_t> runs;  ///< number of blocks, or of builds in each group
  bool operator==(const Forecast&) const = default;
};
BENCHD_FIELDS(Forecast, remedy, seconds, runs)

/// The current comparison of one candidate with one reference in one metric of one benchmark.
///
/// A field without a value is absent. A value is never NaN, infinite, or a zero that means "none".
struct Comparison {
  std::string benchmark;
  std::string reference;
  std::string candidate;
  std::string metric;  ///< INNER/NAME if the harness runs several benchmarks
  std::string unit;
  ComparisonRole role = ComparisonRole::kInfo;
  std::optional<Better> better;
  std::optional<double> margin;  ///< gates only; negative: how much better it has to be
  MarginKind margin_kind = MarginKind::kRatio;
  double confidence = 0;  ///< coverage of this comparison's interval (1 - alpha/G for a gate)
  /// The one-sided coverage of the interval's worse end, which establishes a pass. Absent unless
  /// passes have a confidence of their own; then `confidence` determines only the other end.
  std::optional<double> pass_confidence;
  Method method = Method::kPaired;
  Estimator estimator;
  std::uint64_t n_reference = 0;  ///< number of values used, one per block
  std::uint64_t n_candidate = 0;
  std::optional<double> mean_reference;
  std::optional<double> mean_candidate;
  std::optional<double> sd_reference;
  std::optional<double> sd_candidate;
  /// The relative change, candidate/reference - 1, as a fraction with the sign as measured. The
  /// estimate is that of the last look. The interval is the intersection of the intervals of all
  /// looks so far. The ends are absent if the intersection is empty.
  std::optional<Effect> change;
  std::optional<Effect> difference;  ///< candidate - reference, in `unit`; otherwise like `change`
  /// The result of the last look alone, for a method that looks repeatedly. Absent if that look did
  /// not give an interval.
  std::optional<Effect> last_change;
  std::optional<Effect> last_difference;
  std::optional<double> p_value;    ///< always valid, because it is a running minimum
  std::optional<Verdict> verdict;   ///< gates only
  std::optional<Decision> decided;  ///< only for gates that are decided
  /// The reason for a verdict that does not come from an interval: a code from kVerdictReasons
  /// (model/verdict_reason.h), or the code of the warning that invalidates the gate.
  std::string reason;
  /// For an info metric: whether it clearly changed (FlagInfoMetrics()). For a gate: kImprovement
  /// if the interval that decides it lies wholly on the good side of no change, else kNone. It does
  /// not affect the verdict.
  Flag flag = Flag::kNone;
  /// The standard error, divided by that of the same values treated as independent. A value of 0.5
  /// means that pairing saved three quarters of the runs. Only for paired methods.
  std::optional<double> pairing_gain;
  /// The amount by which each end of the change's interval is widened for the metric's step, on the
  /// log scale. Absent if the values cover enough steps (docs/statistics.md section 3).
  std::optional<double> change_allowance;
  /// The same for the difference's interval, in the metric's unit. Only for a gate with an absolute
  /// margin.
  std::optional<double> difference_allowance;
  /// The number of further blocks until this gate is expected to be decided. Absent if it is
  /// unknown, or if the metric does not gate.
  std::optional<double> expected_blocks;
  /// The expected time until this gate is decided. The session fills it in, because the statistics
  /// do not use a clock.
  std::optional<Nanoseconds> eta;
  /// The forecast for an undecided gate. Absent if more runs are not a remedy.
  std::optional<Forecast> forecast;
  /// kExact for a gate that was decided because the values of each arm were all equal
  /// (MarginKind::kExact); its margin then did not matter. Absent for all other comparisons.
  std::optional<Basis> basis;
  /// The second phase of a gate that regressed in the first one; absent until that phase begins.
  /// All other figures are those of the first phase, and `verdict` is that of both.
  std::optional<Confirmation> confirmation;
  /// The state of a control; absent for everything else. The gates of a benchmark that is a control
  /// have it, and the placebo's comparisons, whose role is kInfo. A control that changed is
  /// undecided with the reason `control_changed`, in either direction.
  std::optional<ControlState> control;
  bool operator==(const Comparison&) const = default;
};
BENCHD_FIELDS(Comparison, benchmark, reference, candidate, metric, unit, role, better, margin,
              margin_kind, confidence, pass_confidence, method, estimator, n_reference, n_candidate,
              mean_reference, mean_candidate, sd_reference, sd_candidate, change, difference,
              last_change, last_difference, p_value, verdict, decided, reason, flag, pairing_gain,
              change_allowance, difference_allowance, expected_blocks, eta, forecast, basis,
              confirmation, control)

/// The progress of a benchmark, from which the schedule chooses the next benchmark. It depends only
/// on the runs so far, so a session that is resumed or replayed from its stored runs continues in
/// the same way.
struct BenchmarkOutlook {
  bool open = true;           ///< it has a gate without a verdict, and further blocks to run
  std::uint64_t blocks = 0;   ///< number of blocks measured so far
  std::uint64_t minimum = 0;  ///< number of blocks below which a look cannot decide
  double seconds = 0;         ///< total time of its blocks
  /// The number of further blocks until the last of its gates is expected to be decided. Absent if
  /// it is unknown.
  std::optional<double> expected_blocks;
  /// The arms of which the next blocks need no run, in ascending order (analysis/retirement.h).
  std::vector<std::uint32_t> idle_arms = {};
  /// The mean time of the runs of all other arms in a block; present if there are idle arms.
  std::optional<double> busy_seconds = {};

  /// Returns the mean time of a block as the next ones will be; there must be a block.
  double BlockSeconds() const {
    return busy_seconds ? *busy_seconds : seconds / static_cast<double>(blocks);
  }
  /// Returns the seconds of measuring until the benchmark is expected to be decided: the mean time
  /// of a block, times the expected number of blocks. Returns nothing if it is unknown. Pure.
  std::optional<double> ExpectedSeconds() const {
    if (blocks == 0 || !expected_blocks) return std::nullopt;
    return *expected_blocks * BlockSeconds();
  }
  bool operator==(const BenchmarkOutlook&) const = default;
};

}  // namespace benchd
