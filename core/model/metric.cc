#include "core/model/metric.h"

#include <fnmatch.h>

#include <array>
#include <cstddef>

namespace benchd {
namespace {

constexpr std::size_t kAlwaysThere = 9;
constexpr std::size_t kDisturbances = 4;  // the last rows of the table

// The built-in metrics with their resolutions. wall_time is in nanoseconds, from clock_gettime. CPU
// times are in microseconds, as getrusage and a control group's cpu.stat report them. max_rss and
// tree_memory_peak are in whole pages, which have 4 KiB on the machines we run on. read_bytes and
// write_bytes are in blocks of 512 bytes, as rusage counts them. stolen_time is in hundredths of a
// second (USER_HZ), as in proc_stat(5). The counters come from perf_event_open(2).
const std::array<MetricInfo, 23>& Table() {
  static const std::array<MetricInfo, 23> table{{
      {"wall_time", "s", Better::kLower, 1e-9},
      {"user_time", "s", Better::kLower, 1e-6},
      {"system_time", "s", Better::kLower, 1e-6},
      {"cpu_time", "s", Better::kLower, 1e-6},
      {"max_rss", "B", Better::kLower, 4096},
      {"minor_faults", "1", Better::kLower, 1},
      {"major_faults", "1", Better::kLower, 1},
      {"voluntary_switches", "1", Better::kLower, 1},
      {"involuntary_switches", "1", Better::kLower, 1},
      {"read_bytes", "B", Better::kLower, 512},
      {"write_bytes", "B", Better::kLower, 512},
      {"tree_cpu_time", "s", Better::kLower, 1e-6},
      {"tree_memory_peak", "B", Better::kLower, 4096},
      {"instructions", "1", Better::kLower, 1},
      {"cycles", "1", Better::kLower, 1},
      {"branch_misses", "1", Better::kLower, 1},
      {"cache_misses", "1", Better::kLower, 1},
      {"task_clock", "s", Better::kLower, 1e-9},
      {"cpu_migrations", "1", Better::kLower, 1},
      {"interrupts", "1", Better::kLower, 1},
      {"stolen_time", "s", Better::kLower, 0.01},
      {"foreign_switches", "1", Better::kLower, 1},
      {"migrations", "1", Better::kLower, 1},
  }};
  return table;
}

}  // namespace

std::span<const MetricInfo> BuiltinMetrics() { return std::span(Table()).first(kAlwaysThere); }

std::span<const MetricInfo> OptionalMetrics() { return std::span(Table()).subspan(kAlwaysThere); }

bool IsOptionalMetric(std::string_view name) {
  const MetricInfo* const info = FindBuiltinMetric(name);
  return info != nullptr && info >= OptionalMetrics().data();
}

std::span<const MetricInfo> DisturbanceMetrics() { return std::span(Table()).last(kDisturbances); }

bool IsDisturbanceMetric(std::string_view name) {
  const MetricInfo* const info = FindBuiltinMetric(name);
  return info != nullptr && info >= DisturbanceMetrics().data();
}

bool MatchesPattern(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool IsPattern(std::string_view name) {
  return name.find_first_of("*?[") != std::string_view::npos;
}

bool NamesBuiltinMetric(const std::string& name_or_pattern) {
  for (const MetricInfo& info : Table()) {
    if (info.name == name_or_pattern || MatchesPattern(name_or_pattern, info.name)) return true;
  }
  return false;
}

const MetricInfo* FindBuiltinMetric(std::string_view name) {
  for (const MetricInfo& info : Table()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace benchd
