#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "core/parse/adapter.h"

namespace benchd {
namespace {

/// How much of an output is searched.
constexpr std::size_t kSignatureBytes = 4096;

/// Texts that all occur near the beginning of a tool's output.
struct ToolSignature {
  std::string_view name;
  std::array<std::string_view, 2> texts;
};

constexpr auto kSignatures = std::to_array<ToolSignature>({
    {"wrk", {"Running ", " test @ "}},
    {"ab", {"This is ApacheBench", ""}},
    {"hey", {"Summary:\n", "Requests/sec:"}},
    {"oha", {"\"summary\"", "\"requestsPerSec\""}},
    {"k6", {"\"metrics\"", "\"http_req"}},
    {"autocannon", {"\"connections\"", "\"pipelining\""}},
    {"fio", {"\"fio version\"", ""}},
    {"sysbench", {"sysbench 1.", ""}},
    {"pgbench", {"pgbench (", "transaction type:"}},
    {"redis-benchmark", {"\"test\",\"rps\"", ""}},
    {"iperf3", {"\"start\"", "\"iperf "}},
    {"perf-stat-j", {"\"counter-value\"", "\"event\""}},
    {"time-v", {"Command being timed:", "User time (seconds):"}},
    {"callgrind", {"Callgrind, a call-graph", ""}},
    {"perf-bench-pipe", {"# Running 'sched/pipe' benchmark", ""}},
    {"hackbench", {"Running in process mode with", ""}},
    {"stress-ng", {"stress-ng: ", "bogo ops"}},
    {"google-benchmark", {"\"library_build_type\"", ""}},
    {"hyperfine", {"\"results\"", "\"command\""}},
    {"jmh", {"\"jmhVersion\"", ""}},
    {"pytest-benchmark", {"\"machine_info\"", "\"benchmarks\""}},
    {"pytest-benchmark", {"\"machine_info\"", "\"commit_info\""}},
    {"go", {"goos: ", "goarch: "}},
    {"libtest", {"test ", " ns/iter (+/- "}},
    {"libtest", {"\"type\": \"suite\"", "\"event\": \"started\""}},
    {"criterion", {"\"reason\":\"benchmark-complete\"", ""}},
    {"criterion", {"\"sampling_mode\"", "\"iters\""}},
    {"catch2", {"\nbenchmark name ", " iterations "}},
    {"nanobench", {"\"median(elapsed)\"", ""}},
    {"nanobench", {"|    err% |", "\n|----"}},
    {"vitest", {"\"filepath\"", "\"benchmarks\""}},
    {"tinybench", {"\"tasks\"", "\"latency\""}},
    {"mitata", {"\"layout\"", "\"alias\""}},
    {"benchmarkdotnet", {"\"BenchmarkDotNetVersion\"", ""}},
    {"pyperf", {"\"runs\"", "\"warmups\""}},
    {"junit", {"<testsuite", "<testcase"}},
    {"catch2-xml", {"<?xml", "<BenchmarkResults"}},
});

}  // namespace

std::string_view ToolThatPrinted(std::string_view output) {
  const std::string_view beginning = output.substr(0, kSignatureBytes);
  for (const ToolSignature& tool : kSignatures) {
    if (std::ranges::all_of(tool.texts, [beginning](std::string_view text) {
          return beginning.find(text) != std::string_view::npos;
        })) {
      return tool.name;
    }
  }
  return {};
}

}  // namespace benchd
