#pragma once

#include <span>

#include "core/analysis/benchmark_groups.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// What the process of a benchmark that leads a group runs.
enum class GroupRuns {
  kAlone,     ///< that benchmark, as in a warm-up
  kTogether,  ///< all benchmarks of its group
};

/// Sets the commands of the benchmarks that lead a group, for the next time that they are opened.
///
/// @param found  what was found in the programs, and the commands to which words are added
/// @param spec   expanded, with the commands of SetRunCommands() (discovery.h)
void SetGroupCommands(const BenchmarkGroups& groups, std::span<const FoundBenchmarks> found,
                      GroupRuns runs, SessionSpec& spec);

}  // namespace benchd
