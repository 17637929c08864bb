#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/session_spec.h"

namespace benchd {

/// A metric that a gate may name. The viewed strings must outlive the call.
struct NameableMetric {
  std::string_view inner;  ///< the harness' own benchmark, or empty
  std::string_view name;
  bool builtin = false;  ///< benchd's own
};

/// A gate of the spec and a metric that it matches; indices.
struct GatedMetric {
  std::size_t gate = 0;
  std::size_t metric = 0;
  bool operator==(const GatedMetric&) const = default;
};

/// Finds the metrics that the gates of `--metric` match, for sessions and tables alike.
///
/// A gate is INNER/NAME, or NAME (that metric of every inner benchmark), or a shell pattern for
/// either ("*/sec/op", "BM_Sort*"; * matches a slash too). Metrics that a harness printed take
/// precedence over benchd's own: the cpu_time of a harness' benchmarks is not that of its process.
/// Names take precedence over patterns, and earlier patterns over later ones, so that a metric has
/// one gate. The result is in the order of the gates, then of the metrics. Pure.
std::vector<GatedMetric> MatchGates(std::span<const Gate> gates,
                                    std::span<const NameableMetric> metrics);

}  // namespace benchd
