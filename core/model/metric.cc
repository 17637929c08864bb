#include "core/model/metric.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/model/name_pattern.h"

namespace benchd {
namespace {

struct MetricRow {
  MetricInfo info;
  MetricSource source;
  double raw_per_unit;
};

// The built-in metrics with their resolutions, sources and scales. wall_time is in nanoseconds,
// from clock_gettime. CPU times are in microseconds, as getrusage and a control group's cpu.stat
// report them. max_rss and tree_memory_peak are in whole pages, which have 4 KiB on the machines we
// run on. read_bytes and write_bytes are in blocks of 512 bytes, as rusage counts them. stolen_time
// is in hundredths of a second (USER_HZ), as in proc_stat(5), but its raw figures are microseconds.
// The counters come from perf_event_open(2).
std::span<const MetricRow> Rows() {
  using enum MetricSource;
  static const auto rows = std::to_array<MetricRow>({
      {{"wall_time", "s", Better::kLower, 1e-9}, kClock, 1e9},
      {{"user_time", "s", Better::kLower, 1e-6}, kUsage, 1e6},
      {{"system_time", "s", Better::kLower, 1e-6}, kUsage, 1e6},
      {{"cpu_time", "s", Better::kLower, 1e-6}, kUsage, 1e6},
      {{"max_rss", "B", Better::kLower, 4096}, kUsage, 1},
      {{"minor_faults", "1", Better::kLower, 1}, kUsage, 1},
      {{"major_faults", "1", Better::kLower, 1}, kUsage, 1},
      {{"voluntary_switches", "1", Better::kLower, 1}, kUsage, 1},
      {{"involuntary_switches", "1", Better::kLower, 1}, kUsage, 1},
      {{"read_bytes", "B", Better::kLower, 512}, kStorage, 1},
      {{"write_bytes", "B", Better::kLower, 512}, kStorage, 1},
      {{"tree_cpu_time", "s", Better::kLower, 1e-6}, kTreeTime, 1e6},
      {{"tree_memory_peak", "B", Better::kLower, 4096}, kTreeMemory, 1},
      {{"instructions", "1", Better::kLower, 1}, kCounter, 1},
      {{"cycles", "1", Better::kLower, 1}, kCounter, 1},
      {{"branch_misses", "1", Better::kLower, 1}, kCounter, 1},
      {{"cache_misses", "1", Better::kLower, 1}, kCounter, 1},
      {{"task_clock", "s", Better::kLower, 1e-9}, kCounter, 1e9},
      {{"cpu_migrations", "1", Better::kLower, 1}, kCounter, 1},
      {{"interrupts", "1", Better::kLower, 1}, kInterrupts, 1},
      {{"stolen_time", "s", Better::kLower, 0.01}, kStat, 1e6},
      {{"foreign_switches", "1", Better::kLower, 1}, kSchedstat, 1},
      {{"migrations", "1", Better::kLower, 1}, kSched, 1},
  });
  return rows;
}

const MetricRow* FindRow(std::string_view name) {
  for (const MetricRow& row : Rows()) {
    if (row.info.name == name) return &row;
  }
  return nullptr;
}

const std::vector<MetricInfo>& Table() {
  static const std::vector<MetricInfo> table = [] {
    std::vector<MetricInfo> infos;
    for (const MetricRow& row : Rows()) infos.push_back(row.info);
    return infos;
  }();
  return table;
}

/// Returns the number of rows with one of these sources.
std::size_t CountFrom(std::initializer_list<MetricSource> sources) {
  const auto is_from = [&sources](const MetricRow& row) {
    return std::ranges::find(sources, row.source) != sources.end();
  };
  return static_cast<std::size_t>(std::ranges::count_if(Rows(), is_from));
}

// The clock and rusage provide the first rows, and the kernel's files the last ones.
std::size_t AlwaysThere() {
  static const std::size_t count = CountFrom({MetricSource::kClock, MetricSource::kUsage});
  return count;
}
std::size_t Disturbances() {
  using enum MetricSource;
  static const std::size_t count = CountFrom({kInterrupts, kStat, kSchedstat, kSched});
  return count;
}

}  // namespace

std::span<const MetricInfo> BuiltinMetrics() { return std::span(Table()).first(AlwaysThere()); }

std::span<const MetricInfo> OptionalMetrics() { return std::span(Table()).subspan(AlwaysThere()); }

bool IsOptionalMetric(std::string_view name) {
  const MetricInfo* const info = FindBuiltinMetric(name);
  return info != nullptr && info >= OptionalMetrics().data();
}

std::span<const MetricInfo> DisturbanceMetrics() { return std::span(Table()).last(Disturbances()); }

bool IsDisturbanceMetric(std::string_view name) {
  const MetricInfo* const info = FindBuiltinMetric(name);
  return info != nullptr && info >= DisturbanceMetrics().data();
}

std::optional<MetricSource> SourceOf(std::string_view metric) {
  const MetricRow* const row = FindRow(metric);
  return row == nullptr ? std::nullopt : std::optional(row->source);
}

double InUnit(std::string_view metric, double raw) {
  const MetricRow* const row = FindRow(metric);
  // Division converts 1234567 us to the double nearest to 1.234567 s. Multiplication by 1e-6 would
  // not.
  return row == nullptr ? raw : raw / row->raw_per_unit;
}

namespace {}  // namespace

bool NamesBuiltinMetric(std::string_view name_or_pattern) {
  return std::ranges::any_of(Table(), [name_or_pattern](const MetricInfo& info) {
    return MatchesPattern(name_or_pattern, info.name);
  });
}

namespace {

// The names under which the counters of benchd, perf, callgrind, Go and Google Benchmark count
// work. Other counts with the unit 1, such as faults and switches, also depend on the machine.
constexpr std::string_view kWork[] = {"instructions", "instructions:u", "Ir", "allocs/op",
                                      "allocs_per_iter"};

}  // namespace

bool CountsWork(std::string_view key, std::string_view unit) {
  if (unit != "1" && !unit.empty()) return false;
  return std::ranges::any_of(kWork, [key](std::string_view name) {
    if (!key.ends_with(name)) return false;
    const std::string_view inner = key.substr(0, key.size() - name.size());
    return inner.empty() || inner.ends_with('/');
  });
}

const MetricInfo* FindBuiltinMetric(std::string_view name) {
  for (const MetricInfo& info : Table()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace benchd
