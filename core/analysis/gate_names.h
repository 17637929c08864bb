#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/session_spec.h"

namespace benchd {

/// A metric that a gate may name. The viewed strings must outlive the call.
struct NameableMetric {
  std::string_view inner;  ///< the benchmark within the harness, or empty
  std::string_view name;
  bool builtin = false;  ///< whether it is a built-in metric
};

/// The indices of a gate of the spec and of a metric that it matches.
struct GatedMetric {
  std::size_t gate = 0;
  std::size_t metric = 0;
  bool operator==(const GatedMetric&) const = default;
};

/// Finds the metrics that the gates of `--metric` match, for sessions and tables alike.
///
/// A gate is INNER/NAME, or NAME (the metric of every inner benchmark), or a shell pattern for
/// either ("*/sec/op", "BM_Sort*"), in which * also matches a slash. Metrics that a harness printed
/// take precedence over built-in metrics: the cpu_time of a benchmark in a harness is not that of
/// the harness's process. Names take precedence over patterns, and earlier patterns over later
/// ones, so each metric has at most one gate. The result is in the order of the gates, then of the
/// metrics. Pure.
std::vector<GatedMetric> MatchGates(std::span<const Gate> gates,
                                    std::span<const NameableMetric> metrics);

}  // namespace benchd
