#include "core/analysis/arm_pairs.h"

#include <algorithm>

#include "core/analysis/compared_arms.h"
#include "core/base/try.h"

namespace benchd {
namespace {

/// Returns the spec of a session that compares only these two arms of a benchmark.
SessionSpec SpecOfPair(const SessionSpec& spec, std::size_t benchmark, const Gate& gate,
                       std::size_t first, std::size_t second, std::size_t pairs) {
  SessionSpec alone = spec;
  alone.alpha = spec.alpha / static_cast<double>(pairs);
  alone.sided = Sided::kTwo;
  alone.pass_confidence.reset();
  alone.placebo = false;
  alone.keep_all = true;
  alone.limits.fail_fast = false;
  const Benchmark& all = spec.benchmarks[benchmark];
  Benchmark two = all;
  two.arms = {all.arms[first], all.arms[second]};
  two.arms[0].role = ArmRole::kReference;
  two.arms[1].role = ArmRole::kCandidate;
  two.gates = {gate};
  two.controls.clear();
  alone.benchmarks = {std::move(two)};
  if (alone.limits.max_runs) {
    // Otherwise an arm with several runs per block could have more values than its boundary covers.
    const std::vector<std::size_t> runs = RunsPerBlock(all);
    *alone.limits.max_runs *= *std::max_element(runs.begin(), runs.end());
  }
  return alone;
}

bool IsOf(const Sample& sample, const std::string& metric) {
  return sample.inner_benchmark.empty() ? sample.metric == metric
                                        : sample.inner_benchmark + "/" + sample.metric == metric;
}

}  // namespace

Result<std::optional<ArmPairsAnalysis>> ArmPairsAnalysis::Create(const SessionSpec& spec,
                                                                 std::size_t benchmark,
                                                                 const Gate& gate,
                                                                 DataSource source) {
  const Benchmark& of = spec.benchmarks[benchmark];
  const std::vector<std::size_t> arms = ComparedArms(of);
  // The builds of one arm are not ordered.
  const bool builds = spec.method == Method::kLayouts;
  if (arms.empty() || builds) return std::optional<ArmPairsAnalysis>();
  ArmPairsAnalysis made;
  made.benchmark_ = benchmark;
  made.metric_ = gate.metric;
  made.name_ = of.name;
  made.confidence_ = 1 - spec.alpha;
  for (const Arm& arm : of.arms) made.names_.push_back(arm.name);
  for (const std::size_t arm : arms) made.arms_.push_back(of.arms[arm].name);
  const std::size_t pairs = ComparedPairs(spec.benchmarks);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    for (std::size_t k = i + 1; k < arms.size(); ++k) {
      TRY(auto analysis, SessionAnalysis::Create(
                             SpecOfPair(spec, benchmark, gate, arms[i], arms[k], pairs), source));
      made.pairs_.push_back({arms[i], arms[k], std::move(analysis)});
    }
  }
  return std::optional(std::move(made));
}

std::vector<Run> ArmPairsAnalysis::RunsOf(const Pair& pair, std::span<const Run> block) const {
  std::vector<Run> runs;
  for (const Run& run : block) {
    if (run.benchmark != benchmark_ || (run.arm != pair.first && run.arm != pair.second)) continue;
    Run own = run;
    own.benchmark = 0;
    own.arm = run.arm == pair.first ? 0 : 1;
    std::erase_if(own.samples, [this](const Sample& sample) { return !IsOf(sample, metric_); });
    runs.push_back(std::move(own));
  }
  return runs;
}

void ArmPairsAnalysis::AddWarmup(std::span<const Run> block) {
  for (Pair& pair : pairs_) {
    const std::vector<Run> runs = RunsOf(pair, block);
    if (!runs.empty()) pair.analysis.AddWarmup(runs);
  }
}

void ArmPairsAnalysis::SetRetired(std::span<const ArmRuns> runs) {
  for (const ArmRuns& one : runs) {
    if (one.benchmark != name_ || !one.retired_after) continue;
    for (const Pair& pair : pairs_) {
      for (const std::size_t arm : {pair.first, pair.second}) {
        if (names_[arm] == one.arm) retired_after_[arm] = *one.retired_after;
      }
    }
  }
}

bool ArmPairsAnalysis::HasEnded(const Pair& pair) const {
  return std::ranges::any_of(retired_after_, [&](const auto& retired) {
    const bool of_pair = retired.first == pair.first || retired.first == pair.second;
    return of_pair && blocks_ >= retired.second;
  });
}

Result<void> ArmPairsAnalysis::Add(std::span<const Run> block) {
  if (block.front().benchmark != benchmark_) return {};
  for (Pair& pair : pairs_) {
    if (HasEnded(pair)) continue;
    const std::vector<Run> runs = RunsOf(pair, block);
    if (runs.empty()) continue;  // with the schedule coin, a block may lack both arms
    TRY_VOID(pair.analysis.Add(runs));
  }
  ++blocks_;
  return {};
}

ArmPairs ArmPairsAnalysis::Conclude() {
  ArmPairs result{name_, arms_, {}, confidence_};
  for (Pair& pair : pairs_) {
    Report report = pair.analysis.Conclude();
    const auto gate = std::ranges::find(report.comparisons, metric_, &Comparison::metric);
    if (gate != report.comparisons.end()) result.comparisons.push_back(std::move(*gate));
  }
  return result;
}

}  // namespace benchd
