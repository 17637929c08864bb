#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// The direction that is better. A metric without a direction is reported, but cannot be a gate.
enum class Better { kLower, kHigher };
BENCHD_NAMES(Better, "lower", "higher")

/// The description of a metric.
struct MetricInfo {
  std::string name;
  /// An SI unit if there is one: "s", "B" or "1" (a count). Otherwise the unit that the harness
  /// printed, which may be empty.
  std::string unit;
  std::optional<Better> better;
  /// The smallest step of the metric, in `unit`; 0 = unknown (docs/statistics.md section 3).
  double resolution = 0;
  /// Whether the metric gates only if the user names it, although it has a direction. Such a metric
  /// repeats another metric (a rate and its time), or was printed only as an explanation.
  bool by_name_only = false;
  bool operator==(const MetricInfo&) const = default;
};
BENCHD_FIELDS(MetricInfo, name, unit, better, resolution, by_name_only)

/// Returns the metrics of every run (rusage and the clock), in their documented order.
std::span<const MetricInfo> BuiltinMetrics();

/// Returns the metrics that a run has only if the kernel, the machine and our privileges provide
/// them: bytes read from and written to storage, figures of the whole process tree by control
/// group, counters of perf_event_open(2), and disturbances. A metric that is not available is
/// absent, never zero. docs/metrics.md lists each metric with its source.
std::span<const MetricInfo> OptionalMetrics();
bool IsOptionalMetric(std::string_view name);

/// Returns the optional metrics that describe disturbances of a run. They explain the values of the
/// run, and are judged only if the user names them as gates.
std::span<const MetricInfo> DisturbanceMetrics();
bool IsDisturbanceMetric(std::string_view name);

/// The source of a built-in metric. It decides whether the metric is available.
enum class MetricSource {
  kClock,       ///< CLOCK_MONOTONIC
  kUsage,       ///< rusage
  kStorage,     ///< rusage, if the kernel counts bytes
  kTreeTime,    ///< the run's control group
  kTreeMemory,  ///< the run's control group, if it has the memory controller
  kCounter,     ///< perf_event_open(2)
  kInterrupts,  ///< /proc/interrupts
  kStat,        ///< /proc/stat
  kSchedstat,   ///< /proc/schedstat and /proc/stat
  kSched,       ///< /proc/PID/sched
};

/// Returns the source of a built-in metric, or nothing for other metrics.
std::optional<MetricSource> SourceOf(std::string_view metric);

/// Converts a raw figure of the runner (ns, us, bytes, or a count) to the unit of a built-in
/// metric.
double InUnit(std::string_view metric, double raw);

/// Returns whether a built-in metric has this name or matches this pattern.
bool NamesBuiltinMetric(std::string_view name_or_pattern);

/// Returns whether a metric counts the work of a program: instructions, or allocations. A
/// deterministic program repeats such a count in every run, so a gate without a margin is exact
/// (MarginKind::kExact), unless the default margin is negative.
///
/// @param key   NAME or INNER/NAME
/// @param unit  a count has the unit "1"; the column of a table may lack it
bool CountsWork(std::string_view key, std::string_view unit);

/// Returns the built-in metric with this name, including optional metrics, or nullptr.
const MetricInfo* FindBuiltinMetric(std::string_view name);

}  // namespace benchd
