#include "core/analysis/worst_runs.h"

#include <algorithm>
#include <functional>

#include "core/analysis/setting_trial.h"

namespace benchd {
namespace {

constexpr std::size_t kMost = 3;
/// The number of interquartile ranges beyond which Tukey calls values "far out".
constexpr double kFence = 3;
/// Only a run that is at least a tenth above the median needs an explanation.
constexpr double kWorthTelling = 1.1;

}  // namespace

WorstRunsAnalysis::WorstRunsAnalysis(const SessionSpec& spec, const Report& report) : spec_(spec) {
  const auto take = [this, &spec](const auto& judged) {
    if (judged.better == Better::kHigher) return;
    const auto benchmark = std::ranges::find(spec.benchmarks, judged.benchmark, &Benchmark::name);
    if (benchmark == spec.benchmarks.end()) return;
    metrics_.try_emplace(static_cast<std::uint32_t>(benchmark - spec.benchmarks.begin()),
                         Metric{judged.metric, judged.unit});
  };
  for (const Comparison& gate : report.comparisons) {
    if (gate.role == ComparisonRole::kGate) take(gate);
  }
  for (const Estimate& estimate : report.estimates) {
    if (estimate.asked) take(estimate);
  }
}

void WorstRunsAnalysis::Add(std::span<const Run> block) {
  for (const Run& run : block) {
    if (run.phase != RunPhase::kMeasured) continue;
    Taken taken{.number = ++runs_};
    const auto metric = metrics_.find(run.benchmark);
    if (metric == metrics_.end()) continue;
    bool found = false;
    for (const Sample& sample : run.samples) {
      if (!sample.inner_benchmark.empty()) continue;
      if (sample.metric == metric->second.name) {
        taken.value = sample.value;
        found = true;
      }
      const auto cause = std::ranges::find(kCauses, sample.metric);
      if (cause != kCauses.end()) {
        taken.causes[static_cast<std::size_t>(cause - kCauses.begin())] = sample.value;
      }
    }
    if (found) arms_[{run.benchmark, run.arm}].push_back(taken);
  }
}

std::vector<RunCause> WorstRunsAnalysis::CausesOf(const Taken& run,
                                                  const std::vector<Taken>& all) const {
  std::vector<RunCause> causes;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if (!run.causes[i]) continue;
    std::vector<double> values;
    for (const Taken& one : all) {
      if (one.causes[i]) values.push_back(*one.causes[i]);
    }
    const auto quartiles = QuartilesOf(values);
    if (quartiles && *run.causes[i] > quartiles->median) {
      causes.push_back({kCauses[i], *run.causes[i], quartiles->median});
    }
  }
  return causes;
}

std::vector<WorstRun> WorstRunsAnalysis::Conclude() const {
  struct Far {
    ArmKey arm;
    const Taken* run = nullptr;
    double ratio = 1;
  };
  std::vector<Far> far;
  for (const auto& [arm, runs] : arms_) {
    std::vector<double> values;
    for (const Taken& run : runs) values.push_back(run.value);
    const auto quartiles = QuartilesOf(values);
    if (!quartiles || quartiles->median <= 0) continue;
    const double fence = quartiles->upper + kFence * (quartiles->upper - quartiles->lower);
    for (const Taken& run : runs) {
      if (run.value <= std::max(fence, kWorthTelling * quartiles->median)) continue;
      far.push_back({arm, &run, run.value / quartiles->median});
    }
  }
  std::ranges::stable_sort(far, std::ranges::greater(), &Far::ratio);
  if (far.size() > kMost) far.resize(kMost);
  std::vector<WorstRun> worst;
  for (const auto& [arm, run, ratio] : far) {
    const Benchmark& benchmark = spec_.benchmarks[arm.first];
    const Metric& metric = metrics_.at(arm.first);
    worst.push_back({run->number, benchmark.name, benchmark.arms[arm.second].name, metric.name,
                     metric.unit, run->value, ratio, CausesOf(*run, arms_.at(arm))});
  }
  return worst;
}

}  // namespace benchd
