#include "daemon/session/group_commands.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/inner_benchmarks.h"
#include "core/parse/discovery.h"

namespace benchd {
namespace {

/// Returns what was found in the program of a benchmark.
const FoundBenchmarks& FoundOf(std::span<const FoundBenchmarks> found, std::uint32_t benchmark) {
  std::size_t number = found.size() - 1;
  while (number > 0 && FirstOf(found, number) > benchmark) --number;
  return found[number];
}

}  // namespace

void SetGroupCommands(const BenchmarkGroups& groups, std::span<const FoundBenchmarks> found,
                      GroupRuns runs, SessionSpec& spec) {
  for (const std::vector<std::uint32_t>& group : groups.all()) {
    std::vector<std::string> names;
    for (const std::uint32_t member : group) names.push_back(spec.benchmarks[member].inner);
    if (runs == GroupRuns::kAlone) names.resize(1);
    Benchmark& leader = spec.benchmarks[group.front()];
    const Result<Harness> harness = FindHarness(leader.harness, leader.parse, leader.adapter);
    if (!harness) continue;  // a group has a known harness
    const FoundBenchmarks& program = FoundOf(found, group.front());
    for (std::size_t arm = 0; arm < leader.arms.size(); ++arm) {
      const ExecutedCommand command{program.commands[arm], leader.arms[arm].shell};
      leader.arms[arm].argv = RunCommand(*harness, command, names, /*printed=*/true).argv;
    }
  }
}

}  // namespace benchd
