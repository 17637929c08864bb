#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// The direction that is good. A metric without one is reported, but cannot be a gate.
enum class Better { kLower, kHigher };
BENCHD_NAMES(Better, "lower", "higher")

/// The meaning of a metric's numbers.
struct MetricInfo {
  std::string name;
  /// An SI unit if there is one: "s", "B", "1" (a count); else the harness's own; may be empty.
  std::string unit;
  std::optional<Better> better;
  /// Smallest step the metric can take, in `unit`; 0 when unknown (docs/statistics.md section 3).
  double resolution = 0;
  /// The metric has a direction, but gates only if named: it repeats another metric (a rate and its
  /// time), or was printed as an explanation and not for judgement.
  bool by_name_only = false;
  bool operator==(const MetricInfo&) const = default;
};
BENCHD_FIELDS(MetricInfo, name, unit, better, resolution, by_name_only)

/// The metrics of every run (rusage and the clock), in their documented order.
std::span<const MetricInfo> BuiltinMetrics();

/// The metrics that a run has only if the kernel, the machine and our privileges provide them:
/// bytes read from and written to storage, the whole process tree by control group, counters of
/// perf_event_open(2), and disturbances. Otherwise absent, never zero. docs/metrics.md lists each
/// with its source.
std::span<const MetricInfo> OptionalMetrics();
bool IsOptionalMetric(std::string_view name);

/// The optional metrics that describe disturbances of a run. They explain its values, and are not
/// judged unless named as a gate.
std::span<const MetricInfo> DisturbanceMetrics();
bool IsDisturbanceMetric(std::string_view name);

/// Whether a shell pattern (* ? [...]; * also matches a slash) matches all of a name.
bool MatchesPattern(const std::string& pattern, const std::string& name);
/// Whether `name` contains a wildcard.
bool IsPattern(std::string_view name);
/// Whether a built-in metric has this name or matches this pattern.
bool NamesBuiltinMetric(const std::string& name_or_pattern);

/// The built-in metric of that name, including the optional ones, or nullptr.
const MetricInfo* FindBuiltinMetric(std::string_view name);

}  // namespace benchd
