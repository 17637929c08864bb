#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/fields.h"
#include "core/model/metric.h"
#include "core/model/session_spec.h"

namespace benchd {

enum class Verdict { kPass, kRegression, kUndecided };
BENCHD_NAMES(Verdict, "pass", "regression", "undecided")
enum class ComparisonRole { kGate, kInfo };
BENCHD_NAMES(ComparisonRole, "gate", "info")
enum class Flag { kNone, kImprovement, kWorse };
BENCHD_NAMES(Flag, "none", "improvement", "worse")

/// An estimate with its interval; the ends are absent as long as the method has none.
struct Effect {
  double estimate = 0;
  std::optional<double> lo;
  std::optional<double> hi;
  bool operator==(const Effect&) const = default;
};
BENCHD_FIELDS(Effect, estimate, lo, hi)

/// The look at which a gate was decided; never revised. An end is absent if the interval had none
/// (exact-t decides against the margin itself).
struct Decision {
  std::uint64_t blocks = 0;
  std::optional<double> lo;
  std::optional<double> hi;
  bool operator==(const Decision&) const = default;
};
BENCHD_FIELDS(Decision, blocks, lo, hi)

/// What would decide a gate that is undecided.
enum class Remedy {
  kMoreTime,
  kMoreRuns,      ///< a larger Limits::runs
  kMoreMaxRuns,   ///< a larger Limits::max_runs
  kMoreLayouts,   ///< more builds of each group
  kMoreRows,      ///< of a table
  kSingleRounds,  ///< of a table that has means alone
  kOtherMargin,   ///< the change is too close to this one
  kHardlyAny,     ///< more runs or builds than a session may have
  kNoneNeeded,    ///< it is as precise as the rule asked for
};
BENCHD_NAMES(Remedy, "more_time", "more_runs", "more_max_runs", "more_layouts", "more_rows",
             "single_rounds", "other_margin", "hardly_any", "none_needed")

/// How much it is expected to take in total until an undecided gate is decided (forecast.h).
struct Forecast {
  Remedy remedy = Remedy::kMoreTime;
  std::optional<double> seconds;      ///< of measuring; absent = unknown
  std::optional<std::uint64_t> runs;  ///< blocks, or builds of each group
  bool operator==(const Forecast&) const = default;
};
BENCHD_FIELDS(Forecast, remedy, seconds, runs)

/// One candidate against one reference in one metric of one benchmark, as it stands now.
///
/// A field without a value is absent. No value is ever NaN, infinite, or a zero that means "none".
struct Comparison {
  std::string benchmark;
  std::string reference;
  std::string candidate;
  std::string metric;  ///< INNER/NAME if the harness runs several benchmarks
  std::string unit;
  ComparisonRole role = ComparisonRole::kInfo;
  std::optional<Better> better;
  std::optional<double> margin;  ///< gates only
  MarginKind margin_kind = MarginKind::kRatio;
  double confidence = 0;  ///< coverage of this comparison's interval (1 - alpha/G for a gate)
  Method method = Method::kPaired;
  Estimator estimator;
  std::uint64_t n_reference = 0;  ///< values used, one per block
  std::uint64_t n_candidate = 0;
  std::optional<double> mean_reference;
  std::optional<double> mean_candidate;
  std::optional<double> sd_reference;
  std::optional<double> sd_candidate;
  /// candidate/reference - 1, a fraction, signed as measured. The estimate is that of the last
  /// look. The interval is the intersection of all looks so far; with one look, that look's
  /// interval. The ends are absent if the intersection is empty.
  std::optional<Effect> change;
  std::optional<Effect> difference;  ///< candidate - reference, in `unit`; otherwise like `change`
  /// The last look alone, for a method that looks repeatedly; absent if it had no interval.
  std::optional<Effect> last_change;
  std::optional<Effect> last_difference;
  std::optional<double> p_value;    ///< always valid: a running minimum
  std::optional<Verdict> verdict;   ///< gates only
  std::optional<Decision> decided;  ///< gates that are decided
  /// Explains a verdict that does not come from an interval: a code of kVerdictReasons
  /// (model/verdict_reason.h), or of the warning that invalidates the gate.
  std::string reason;
  Flag flag = Flag::kNone;  ///< info metrics only
  /// Standard error, relative to that of the same values treated as independent. 0.5 means that
  /// pairing saved three quarters of the runs. Paired methods only.
  std::optional<double> pairing_gain;
  /// Widening of each end of the change's interval for the metric's step, on the log scale; absent
  /// if the values cover enough steps (docs/statistics.md section 3).
  std::optional<double> change_allowance;
  /// Further blocks until this gate is expected to be decided; absent if unknown or not a gate.
  std::optional<double> expected_blocks;
  /// The same as a time. The session fills it in, because the statistics have no clock.
  std::optional<Nanoseconds> eta;
  /// Of an undecided gate; absent where more runs are no remedy.
  std::optional<Forecast> forecast;
  bool operator==(const Comparison&) const = default;
};
BENCHD_FIELDS(Comparison, benchmark, reference, candidate, metric, unit, role, better, margin,
              margin_kind, confidence, method, estimator, n_reference, n_candidate, mean_reference,
              mean_candidate, sd_reference, sd_candidate, change, difference, last_change,
              last_difference, p_value, verdict, decided, reason, flag, pairing_gain,
              change_allowance, expected_blocks, eta, forecast)

/// The progress of a benchmark, from which the schedule chooses the benchmark that runs next. All
/// of it follows from the runs so far, so a session that is resumed or replayed from its stored
/// runs continues as it would have.
struct BenchmarkOutlook {
  bool open = true;           ///< it has a gate without a verdict, and blocks left to run
  std::uint64_t blocks = 0;   ///< measured so far
  std::uint64_t minimum = 0;  ///< below this, no look decides anything
  double seconds = 0;         ///< total time of its blocks
  /// Further blocks until the last of its gates is expected to be decided; absent if unknown.
  std::optional<double> expected_blocks;

  /// Seconds of measuring until it is expected to be decided: the mean time of its blocks so far,
  /// times the number expected. Absent if unknown. Pure.
  std::optional<double> ExpectedSeconds() const {
    if (blocks == 0 || !expected_blocks) return std::nullopt;
    return *expected_blocks * (seconds / static_cast<double>(blocks));
  }
  bool operator==(const BenchmarkOutlook&) const = default;
};

}  // namespace benchd
