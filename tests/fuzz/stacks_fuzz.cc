#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/function_names.h"
#include "core/analysis/profile_analysis.h"
#include "core/analysis/profile_samples.h"
#include "core/model/profile.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

SessionSpec SampledSpecOfTwo(bool layouts) {
  SessionSpec spec;
  spec.profile.emplace();
  spec.alpha = 0.05;
  spec.method = layouts ? Method::kLayouts : Method::kPaired;
  Benchmark& benchmark = spec.benchmarks.emplace_back();
  for (const auto& [name, role] : {std::pair{"a/1", ArmRole::kReference},
                                   {"a/2", ArmRole::kReference},
                                   {"b/1", ArmRole::kCandidate},
                                   {"b/2", ArmRole::kCandidate}}) {
    Arm& arm = benchmark.arms.emplace_back();
    arm.name = name;
    arm.role = role;
  }
  return spec;
}

/// A block of four runs: line i is a stack of run i mod 4, whose first byte is the number of
/// samples. An empty line ends the block.
std::vector<std::vector<Run>> BlocksOf(std::string_view input) {
  std::vector<std::vector<Run>> blocks(1);
  std::size_t line = 0;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string_view text = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (text.size() < 2) {
      blocks.emplace_back();
      continue;
    }
    std::vector<Run>& block = blocks.back();
    while (block.size() < 4) {
      Run& run = block.emplace_back();
      run.arm = static_cast<std::uint32_t>(block.size() - 1);
      run.samples = {{.metric = "cpu_time", .value = 1 + 0.25 * run.arm}};
    }
    block[line++ % 4].samples.push_back(
        {.metric = std::string(kStackMetric),
         .inner_benchmark = std::string(text.substr(1)),
         .value = static_cast<double>(static_cast<unsigned char>(text.front()))});
  }
  return blocks;
}

void CheckEnds(const Effect& effect) {
  FUZZ_CHECK(std::isfinite(effect.estimate));
  FUZZ_CHECK(effect.lo.has_value() == effect.hi.has_value());
  if (effect.lo) FUZZ_CHECK(*effect.lo <= effect.estimate && effect.estimate <= *effect.hi);
}

void CheckExplanation(const Explanation& explanation) {
  double reference = explanation.rest_reference;
  double candidate = explanation.rest_candidate;
  CheckEnds(explanation.change);
  for (const FunctionChange& one : explanation.functions) {
    FUZZ_CHECK(one.function.size() <= 1000);
    FUZZ_CHECK(one.total_reference >= one.self_reference - 1e-9);
    FUZZ_CHECK(one.total_candidate >= one.self_candidate - 1e-9);
    FUZZ_CHECK(!one.changed || (one.self.lo && explanation.blocks >= kLeastUnits));
    CheckEnds(one.self);
    CheckEnds(one.total);
    reference += one.self_reference;
    candidate += one.self_candidate;
  }
  if (explanation.functions.size() == kMostFunctions) return;
  FUZZ_CHECK(std::abs(reference - explanation.seconds_reference) < 1e-5);
  FUZZ_CHECK(std::abs(candidate - explanation.seconds_candidate) < 1e-5);
}

}  // namespace

void FuzzStacks(std::string_view input) {
  for (const bool layouts : {false, true}) {
    std::vector<std::vector<Run>> blocks = BlocksOf(input);
    ProfileAnalysis analysis(SampledSpecOfTwo(layouts));
    StackBudget budget;
    for (std::vector<Run>& block : blocks) {
      budget.Apply(block);
      analysis.Add(block);
    }
    for (const Explanation& one : analysis.Conclude()) CheckExplanation(one);
    for (const Warning& warning : analysis.Warnings()) CheckMessage(warning.message);
  }
  const std::string base = WithoutCloneSuffixes(input);
  FUZZ_CHECK(WithoutCloneSuffixes(base) == base);
  FUZZ_CHECK(WithoutTemplateArguments(input).size() <= input.size());
  FUZZ_CHECK(QualifiedNameOf(input).size() <= input.size());
}

}  // namespace benchd::fuzz
