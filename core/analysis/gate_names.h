#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/session_spec.h"

namespace benchd {

/// A metric as a gate may name it. Views: of what outlives the call.
struct NameableMetric {
  std::string_view inner;  ///< the harness' own benchmark, or empty
  std::string_view name;
  bool builtin = false;  ///< benchd's own
};

/// A gate of the spec and a metric that it is about; indices.
struct GatedMetric {
  std::size_t gate = 0;
  std::size_t metric = 0;
  bool operator==(const GatedMetric&) const = default;
};

/// Which metrics the gates of `--metric` are about: one meaning for a session and for a table.
///
/// A gate is INNER/NAME, or NAME alone, which is that metric of every inner benchmark, or a pattern
/// as of a shell of either ("*/sec/op", "BM_Sort*"; * takes a slash, too). What a harness printed
/// goes before benchd's own metrics: the cpu_time of a harness' benchmarks is not that of its
/// process. A name goes before a pattern, and an earlier pattern before a later one: a metric has
/// one gate. In the order of the gates, then of the metrics. Pure.
std::vector<GatedMetric> MatchGates(std::span<const Gate> gates,
                                    std::span<const NameableMetric> metrics);

}  // namespace benchd
