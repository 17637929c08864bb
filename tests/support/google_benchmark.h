#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.h"
#include "daemon/session/ports.h"

// A stand-in for a program with benchmarks of Google Benchmark, for sessions with `harness`.

namespace benchd::fake {

using BenchmarkNames = std::vector<std::string>;

inline constexpr std::string_view kBenchmarkFilter = "--benchmark_filter=^";

/// Returns whether a child lists the benchmarks of its program.
inline bool ListsBenchmarks(const ChildSpec& child) {
  return child.parse == "list:google-benchmark";
}

/// Returns the benchmarks that a child runs: those of its filter `^(A|B)$` or `^A$`. Empty without
/// a filter.
inline BenchmarkNames FilteredBenchmarks(const ChildSpec& child) {
  for (const std::string& word : child.argv) {
    if (!word.starts_with(kBenchmarkFilter)) continue;
    const std::size_t begin = kBenchmarkFilter.size();
    std::string filter = word.substr(begin, word.size() - begin - 1);
    if (filter.starts_with('(')) filter = filter.substr(1, filter.size() - 2);
    BenchmarkNames names{""};
    for (const char c : filter) {
      if (c == '|') {
        names.emplace_back();
      } else {
        names.back() += c;
      }
    }
    return names;
  }
  return {};
}

/// Adds what a benchmark prints: a real and a CPU time of `seconds`.
inline void PrintTimes(const std::string& benchmark, double seconds, RunOutcome& outcome) {
  for (const char* metric : {"real_time", "cpu_time"}) {
    outcome.samples.push_back({metric, benchmark, 0, seconds});
    outcome.metrics.push_back({benchmark + "/" + metric, "s", Better::kLower, 1e-9});
  }
}

}  // namespace benchd::fake
