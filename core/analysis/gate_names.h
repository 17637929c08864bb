#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/session_spec.h"

namespace benchd {

/// A metric that a gate may name. The viewed strings must outlive the call.
struct NameableMetric {
  /// The benchmark within the harness. If it is empty, `name` may itself be INNER/NAME, as in the
  /// column of an exported table, so the text after any of its slashes counts as a NAME.
  std::string_view inner;
  std::string_view name;
  bool builtin = false;      ///< whether it is a built-in metric
  bool in_reference = true;  ///< whether a reference has shown it
};

/// The indices of a gate of the spec and of a metric that it matches.
struct GatedMetric {
  std::size_t gate = 0;
  std::size_t metric = 0;
  bool operator==(const GatedMetric&) const = default;
};

/// Finds the metrics that the gates of `--metric` match: the one place where sessions and tables
/// match names.
///
/// A gate is INNER/NAME, or NAME (the metric of every inner benchmark), or a pattern for either
/// ("*/sec/op", "BM_Sort*"; MatchesPattern()). A gate that names metrics exactly is not a pattern,
/// even if it contains an asterisk. Metrics that a harness printed take precedence over built-in
/// metrics: the cpu_time of a benchmark in a harness is not that of the harness's process. A metric
/// that no reference has is matched only by INNER/NAME, or if the gate matches no other metric:
/// then the gate is missing in the reference.
///
/// Each metric has at most one gate: INNER/NAME takes precedence over NAME, names over patterns,
/// and earlier gates over later ones. The result is in the order of the gates, then of the metrics.
/// Pure.
std::vector<GatedMetric> MatchGates(std::span<const Gate> gates,
                                    std::span<const NameableMetric> metrics);

}  // namespace benchd
