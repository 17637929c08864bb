#include "daemon/model/metric.h"

#include <array>

namespace benchd {
namespace {

// wall_time: clock_gettime counts nanoseconds. CPU times: the kernel accounts them in nanoseconds
// and getrusage reports microseconds. max_rss: whole pages, 4 KiB on the machines we run on.
const std::array<MetricInfo, 9>& Table() {
  static const std::array<MetricInfo, 9> table{{
      {"wall_time", "s", Better::kLower, 1e-9},
      {"user_time", "s", Better::kLower, 1e-6},
      {"system_time", "s", Better::kLower, 1e-6},
      {"cpu_time", "s", Better::kLower, 1e-6},
      {"max_rss", "B", Better::kLower, 4096},
      {"minor_faults", "1", Better::kLower, 1},
      {"major_faults", "1", Better::kLower, 1},
      {"voluntary_switches", "1", Better::kLower, 1},
      {"involuntary_switches", "1", Better::kLower, 1},
  }};
  return table;
}

}  // namespace

std::span<const MetricInfo> BuiltinMetrics() { return Table(); }

const MetricInfo* FindBuiltinMetric(std::string_view name) {
  for (const MetricInfo& info : Table()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace benchd
