#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/metric.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The current estimate of one metric of one arm, in a session that measures programs without
/// comparing them (ArmRole::kMeasured).
///
/// A field without a value is absent. A value is never NaN, infinite, or a zero that means "none".
struct Estimate {
  std::string benchmark;
  std::string arm;
  std::string metric;  ///< INNER/NAME if the harness runs several benchmarks
  std::string unit;
  /// Whether the session was asked for this metric. It then waits for its precision, and the
  /// interval has a share of alpha. All other estimates are for information.
  bool asked = false;
  std::optional<Better> better;
  Estimator estimator;
  double confidence = 0;  ///< coverage of the interval: 1 - alpha/G if asked for, else 1 - alpha
  std::uint64_t n = 0;    ///< number of values used, one per block
  /// The mean (harmonic for rates) or quantile, in `unit`. The estimate is that of the last look.
  /// The interval is the intersection of the intervals of all looks so far. The ends are absent if
  /// the intersection is empty, and an end is absent if the values do not bound it.
  std::optional<Effect> value;
  /// The result of the last look alone. Absent if that look did not give an interval, and for a
  /// single look.
  std::optional<Effect> last;
  std::optional<double> sd;   ///< standard deviation about the mean, with divisor n - 1
  std::optional<double> min;  ///< the smallest and the largest value
  std::optional<double> max;
  /// The requested width of the interval, (hi - lo) / estimate, as a fraction. Only if asked for,
  /// and not for an exact number of runs.
  std::optional<double> precision;
  /// Whether the interval is as narrow as requested or, for an exact number of runs, whether there
  /// is one. Only if asked for.
  std::optional<bool> precise;
  /// The reason why more runs would not make the interval narrow enough: a code from
  /// kEstimateReasons. Empty: they would.
  std::string reason;
  /// The number of further blocks until the interval is expected to be narrow enough. Absent if it
  /// is unknown.
  std::optional<double> expected_blocks;
  /// The expected time until then. The session fills it in.
  std::optional<Nanoseconds> eta;
  bool operator==(const Estimate&) const = default;
};
BENCHD_FIELDS(Estimate, benchmark, arm, metric, unit, asked, better, estimator, confidence, n,
              value, last, sd, min, max, precision, precise, reason, expected_blocks, eta)

/// A reason for an estimate that more runs would not make precise enough (Estimate::reason).
struct EstimateReason {
  std::string_view code;   ///< stable identifier
  std::string_view words;  ///< text shown in a table
  std::string_view hint;   ///< what to do; may be empty
};

/// The complete list of these reasons.
inline constexpr EstimateReason kEstimateReasons[] = {
    {"resolution", "one step is too coarse", "ask for a wider --precision, or another metric"},
    {"always_zero", "always 0, so no width relative to it", "ask for another metric"},
    {"missing", "never printed", "ask for a metric that every program prints"},
    {"missing_values", "missing in too many runs",
     "print the metric in every run, or ask for another metric"},
    {"intervals_disjoint", "changed during the session", "repeat on a quieter machine"},
};

/// Returns the row with this code, or nullptr for the code of a newer benchd.
constexpr const EstimateReason* FindEstimateReason(std::string_view code) {
  for (const EstimateReason& reason : kEstimateReasons) {
    if (reason.code == code) return &reason;
  }
  return nullptr;
}

}  // namespace benchd
