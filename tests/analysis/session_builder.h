#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Inside a TEST, `Run` alone would be gtest's own.
using Block = std::vector<Run>;

/// A minimal spec: one benchmark, the named arms, no warm-up, no gates yet.
inline Benchmark MakeBenchmark(std::string name, std::size_t references,
                               const std::vector<std::string>& arms) {
  Benchmark benchmark;
  benchmark.name = std::move(name);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    Arm arm;
    arm.name = arms[i];
    arm.role = i < references ? ArmRole::kReference : ArmRole::kCandidate;
    benchmark.arms.push_back(std::move(arm));
  }
  return benchmark;
}

inline SessionSpec MakeSpec(std::vector<Benchmark> benchmarks, double alpha = 0.01) {
  SessionSpec spec;
  spec.benchmarks = std::move(benchmarks);
  spec.alpha = alpha;
  return spec;
}

inline Gate RatioGate(std::string metric, double margin) {
  return {.metric = std::move(metric), .margin = margin, .better = {}};
}

inline Gate AbsoluteGate(std::string metric, double margin) {
  return {
      .metric = std::move(metric), .kind = MarginKind::kAbsolute, .margin = margin, .better = {}};
}

inline Gate ExactGate(std::string metric) {
  return {.metric = std::move(metric), .kind = MarginKind::kExact, .margin = 1, .better = {}};
}

/// A gate for which the user gave no margin.
inline Gate GateWithoutMargin(std::string metric) {
  return {.metric = std::move(metric), .better = {}, .margin_implied = true};
}

/// One run; the caller sets position and block if they matter.
struct RunBuilder {
  Run run;

  RunBuilder(std::uint32_t benchmark, std::uint32_t arm, std::uint32_t position = 0) {
    run.benchmark = benchmark;
    run.arm = arm;
    run.position = position;
  }
  RunBuilder& Sample(const std::string& metric, double value, const std::string& inner = {}) {
    const auto iteration = static_cast<std::uint32_t>(run.samples.size());
    run.samples.push_back({metric, inner, iteration, value});
    return *this;
  }
  RunBuilder& Metric(const std::string& name, std::optional<Better> better,
                     const std::string& unit = "u", double resolution = 0) {
    run.metrics.push_back({name, unit, better, resolution});
    return *this;
  }
  operator Run() const { return run; }
};

/// A block of one run per arm, each with one wall_time.
inline Block WallBlock(std::uint32_t benchmark, const std::vector<double>& seconds) {
  Block block;
  for (std::uint32_t arm = 0; arm < seconds.size(); ++arm) {
    block.push_back(RunBuilder(benchmark, arm, arm).Sample("wall_time", seconds[arm]));
  }
  return block;
}

inline const Comparison& Find(const Report& report, std::string_view metric,
                              std::string_view candidate = "candidate",
                              std::string_view benchmark = "main") {
  static const Comparison none;
  const auto found =
      std::find_if(report.comparisons.begin(), report.comparisons.end(), [&](const Comparison& c) {
        return c.metric == metric && c.candidate == candidate && c.benchmark == benchmark;
      });
  return found == report.comparisons.end() ? none : *found;
}

}  // namespace benchd
