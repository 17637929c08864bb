#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// Which direction is good. A metric without one can be reported, but cannot gate.
enum class Better { kLower, kHigher };
BENCHD_NAMES(Better, "lower", "higher")

/// What a metric's numbers mean.
struct MetricInfo {
  std::string name;
  /// SI where there is one: "s", "B", "1" (a count); a harness' own word otherwise; may be empty.
  std::string unit;
  std::optional<Better> better;
  /// Smallest step the metric can take, in `unit`; 0 when unknown (docs/statistics.md section 3).
  double resolution = 0;
  /// It has a direction, and gates only where somebody names it: what another metric beside it says
  /// already (a rate and its time), or what was printed to explain and not to be judged.
  bool by_name_only = false;
  bool operator==(const MetricInfo&) const = default;
};
BENCHD_FIELDS(MetricInfo, name, unit, better, resolution, by_name_only)

/// The metrics that every run has (rusage and the clock), in the order of the contract.
std::span<const MetricInfo> BuiltinMetrics();

/// Those that a run has only where the kernel, the machine and our rights give them: bytes from and
/// to storage, the whole process tree by control group, counters of perf_event_open(2), what
/// disturbed it. Absent otherwise, never zero. docs/metrics.md has each with its source.
std::span<const MetricInfo> OptionalMetrics();
bool IsOptionalMetric(std::string_view name);

/// Of the optional ones those that say what disturbed a run and not what it did: they explain a
/// value, and nothing is concluded from them unless somebody gates on one.
std::span<const MetricInfo> DisturbanceMetrics();
bool IsDisturbanceMetric(std::string_view name);

/// Whether a pattern as of a shell (* ? [...], * takes a slash, too) matches all of a name.
bool MatchesPattern(const std::string& pattern, const std::string& name);
/// Whether `name` can mean more than itself.
bool IsPattern(std::string_view name);
/// Whether a built-in metric has that name, or one that the pattern matches.
bool NamesBuiltinMetric(const std::string& name_or_pattern);

/// The built-in metric of that name, optional ones included, or nullptr.
const MetricInfo* FindBuiltinMetric(std::string_view name);

}  // namespace benchd
