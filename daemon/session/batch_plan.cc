#include "daemon/session/batch_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "core/model/verdict_reason.h"

namespace benchd {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

Nanoseconds FromSeconds(double seconds) {
  return Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

/// Seconds per block of each benchmark, including its share of the time between runs; the mean of
/// all benchmarks for one that has no block yet.
std::vector<double> BlockSeconds(std::span<const BenchmarkOutlook> outlooks, double elapsed) {
  double measured = 0;
  double blocks = 0;
  for (const BenchmarkOutlook& outlook : outlooks) {
    measured += outlook.seconds;
    blocks += static_cast<double>(outlook.blocks);
  }
  std::vector<double> seconds(outlooks.size(), blocks > 0 ? elapsed / blocks : 0);
  for (std::size_t i = 0; i < outlooks.size() && measured > 0; ++i) {
    const auto own = static_cast<double>(outlooks[i].blocks);
    if (own > 0) seconds[i] = outlooks[i].seconds / own * (elapsed / measured);
  }
  return seconds;
}

bool IsOpenGate(const Comparison& comparison) {
  return comparison.role == ComparisonRole::kGate && !comparison.decided &&
         !IsOfLateGate(comparison.reason);
}

/// Whether the interval is narrow enough for the expected number of blocks to be meaningful. That
/// number is computed from the distance between estimate and margin. If the interval extends more
/// than twice as far, the distance is hardly two standard errors and may be due to chance.
bool IsForetellable(const SessionSpec& spec, const Comparison& gate) {
  if (!gate.expected_blocks) return false;
  if (spec.limits.runs || spec.rule.kind == RuleKind::kPrecision) return true;
  const std::optional<Effect>& effect =
      gate.margin_kind == MarginKind::kRatio ? gate.change : gate.difference;
  if (!effect || !effect->lo || !effect->hi || !gate.margin) return false;
  const double threshold = gate.better == Better::kHigher ? -*gate.margin : *gate.margin;
  const double distance = threshold - effect->estimate;
  const double reach =
      distance > 0 ? *effect->hi - effect->estimate : effect->estimate - *effect->lo;
  return reach <= 2 * std::abs(distance);
}

}  // namespace

void Forecast(const SessionSpec& spec, std::span<const BenchmarkOutlook> outlooks, Report& report) {
  const bool begun = std::any_of(outlooks.begin(), outlooks.end(),
                                 [](const BenchmarkOutlook& one) { return one.blocks > 0; });
  if (!begun) return;
  const std::vector<double> block = BlockSeconds(outlooks, Seconds(report.elapsed));
  const double left = std::max(0.0, Seconds(spec.limits.max_time - report.elapsed));
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < outlooks.size(); ++i) numbers[spec.benchmarks[i].name] = i;

  std::vector<double> remaining(outlooks.size(), 0);
  bool open = false;
  for (const Comparison& gate : report.comparisons) {
    if (!IsOpenGate(gate)) continue;
    open = true;
    const std::size_t number = numbers.at(gate.benchmark);
    const double own =
        IsForetellable(spec, gate) ? *gate.expected_blocks * block[number] : kUnknown;
    remaining[number] = std::max(remaining[number], own);
  }
  for (Comparison& gate : report.comparisons) {
    if (!IsOpenGate(gate) || !IsForetellable(spec, gate)) continue;
    const std::size_t number = numbers.at(gate.benchmark);
    double eta = *gate.expected_blocks * block[number];
    for (std::size_t other = 0; other < remaining.size(); ++other) {
      // Benchmarks that are nearer to their verdict come first.
      if (other != number && remaining[other] < remaining[number]) eta += remaining[other];
    }
    if (eta <= left) gate.eta = FromSeconds(eta);
  }
  double all = 0;
  for (const double one : remaining) all += one;
  if (open && all <= left) report.eta = FromSeconds(all);
}

namespace {

std::vector<BatchRun> RunsOf(const SessionSpec& spec, BlockNumber number, RunPhase phase) {
  std::vector<BatchRun> runs;
  for (const PlannedRun& planned : PlanBlock(spec, number.benchmark, phase, number.block)) {
    runs.push_back({planned, phase, number.block, runs.empty()});
  }
  return runs;
}

/// Adds a block or, if the batch is full, only its first run as `next`.
/// @return whether the block was added
bool AddBlock(const SessionSpec& spec, BlockNumber number, RunPhase phase, BatchPlan& plan) {
  std::vector<BatchRun> runs = RunsOf(spec, number, phase);
  // A batch has a single policy about failures, so blocks with different policies do not mix.
  const auto ignores = [&spec](const BatchRun& run) {
    return spec.benchmarks[run.planned.benchmark].ignore_failure;
  };
  const bool fits = plan.runs.empty() || (plan.runs.size() + runs.size() <= kMostRunsInBatch &&
                                          ignores(plan.runs.front()) == ignores(runs.front()));
  if (!fits) {
    plan.next = runs.front();
    return false;
  }
  plan.runs.insert(plan.runs.end(), runs.begin(), runs.end());
  return true;
}

/// Advances the outlooks by one more block of that benchmark, if it goes as expected.
void Foresee(std::vector<BenchmarkOutlook>& outlooks, std::uint32_t benchmark) {
  BenchmarkOutlook& outlook = outlooks[benchmark];
  if (outlook.blocks > 0) outlook.seconds += outlook.seconds / static_cast<double>(outlook.blocks);
  ++outlook.blocks;
  if (!outlook.expected_blocks) return;
  *outlook.expected_blocks -= 1;
  const auto is_open = [](const BenchmarkOutlook& one) { return one.open; };
  // There must be a next benchmark, even after the block that is expected to be the last.
  const bool alone = std::count_if(outlooks.begin(), outlooks.end(), is_open) == 1;
  outlook.open = alone || *outlook.expected_blocks > 0;
}

}  // namespace

BatchPlan PlanWarmup(const SessionSpec& spec, std::uint64_t first, std::uint64_t end) {
  BatchPlan plan;
  const std::uint64_t benchmarks = spec.benchmarks.size();
  for (std::uint64_t number = first; number < end; ++number) {
    const BlockNumber block{static_cast<std::uint32_t>(number % benchmarks), number / benchmarks};
    if (!AddBlock(spec, block, RunPhase::kWarmup, plan)) break;
  }
  return plan;
}

BatchPlan PlanMeasured(const SessionSpec& spec, std::vector<BenchmarkOutlook> outlooks,
                       const std::function<std::uint64_t(std::uint64_t)>& next_look,
                       std::optional<std::uint32_t> under_way) {
  BatchPlan plan;
  bool decides = false;
  for (;;) {
    const std::uint32_t benchmark =
        plan.runs.empty() && under_way ? *under_way : NextBenchmark(outlooks);
    const BlockNumber number{benchmark, outlooks[benchmark].blocks};
    if (decides) {
      plan.next = RunsOf(spec, number, RunPhase::kMeasured).front();
      return plan;
    }
    if (!AddBlock(spec, number, RunPhase::kMeasured, plan)) return plan;
    decides = next_look(number.block) == number.block + 1;
    Foresee(outlooks, benchmark);
  }
}

BatchPlan RestOf(BatchPlan plan, std::size_t done, std::size_t most) {
  plan.runs.erase(plan.runs.begin(), plan.runs.begin() + static_cast<std::ptrdiff_t>(done));
  if (plan.runs.size() > most) {
    plan.next = plan.runs[most];
    plan.runs.resize(most);
  }
  return plan;
}

}  // namespace benchd
