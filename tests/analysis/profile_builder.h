#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "tests/analysis/session_builder.h"

namespace benchd {

/// A session of these arms whose runs are sampled.
inline SessionSpec SampledSpec(const std::vector<std::string>& arms, std::size_t references = 1,
                               double alpha = 0.01) {
  SessionSpec spec = MakeSpec({MakeBenchmark("main", references, arms)}, alpha);
  spec.profile.emplace();
  return spec;
}

/// How often each stack was sampled in a run.
using StackCounts = std::vector<std::pair<std::string, double>>;

inline Run SampledRun(std::uint32_t arm, double cpu_time, const StackCounts& stacks,
                      double lost = 0, double system_time = 0) {
  Run run{.arm = arm};
  run.samples.push_back({.metric = "system_time", .value = system_time});
  run.samples.push_back({.metric = "cpu_time", .value = cpu_time});
  for (const auto& [stack, count] : stacks) {
    run.samples.push_back(
        {.metric = std::string(kStackMetric), .inner_benchmark = stack, .value = count});
  }
  run.samples.push_back({.metric = std::string(kLostSamplesMetric), .value = lost});
  return run;
}

}  // namespace benchd
