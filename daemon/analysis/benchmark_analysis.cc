#include "daemon/analysis/benchmark_analysis.h"

#include <algorithm>
#include <string>

#include "daemon/base/error.h"
#include "daemon/model/spec_queries.h"

namespace benchd {
namespace {

bool IsRate(const KnownMetric& metric) { return metric.better == Better::kHigher; }

}  // namespace

BenchmarkAnalysis::BenchmarkAnalysis(const Benchmark& benchmark, double default_margin)
    : benchmark_(benchmark),
      default_margin_(default_margin),
      references_(ArmsWithRole(benchmark, ArmRole::kReference)),
      candidates_(ArmsWithRole(benchmark, ArmRole::kCandidate)),
      runs_per_arm_(benchmark.arms.size()) {}

void BenchmarkAnalysis::LearnWarmup(std::span<const Run* const> block) {
  if (gates_fixed_) return;
  std::vector<std::size_t> ids;
  for (const Run* run : block) catalog_.Learn(*run, ids);
  warmed_up_ = warmed_up_ || !block.empty();
}

Result<void> BenchmarkAnalysis::Learn(std::span<const Run* const> block) {
  // Default gates are what the warm-up showed; a named gate may also appear in the first block.
  const bool by_warmup = warmed_up_ && benchmark_.gates.empty();
  if (!gates_fixed_ && by_warmup) {
    if (Result<void> fixed = FixGates(); !fixed) return fixed;
  }
  ids_.resize(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) catalog_.Learn(*block[i], ids_[i]);
  if (!gates_fixed_) {
    if (Result<void> fixed = FixGates(); !fixed) return fixed;
  }
  OpenInfos();
  return {};
}

Result<void> BenchmarkAnalysis::FixGates() {
  Result<std::vector<PlannedGate>> planned = PlanGates(benchmark_, default_margin_, catalog_);
  if (!planned) return planned.error();
  is_gate_.assign(catalog_.metrics().size(), false);
  for (const PlannedGate& gate : *planned) is_gate_[gate.metric] = true;
  for (std::size_t reference : references_) {
    for (std::size_t candidate : candidates_) {
      for (const PlannedGate& gate : *planned) {
        const bool rate = IsRate(catalog_.metrics()[gate.metric]);
        gates_.push_back({reference, candidate, gate.metric, PairedComparison(rate, gate)});
      }
    }
  }
  gates_fixed_ = true;
  return {};
}

bool BenchmarkAnalysis::IsGate(std::size_t metric) const {
  return metric < is_gate_.size() && is_gate_[metric];
}

void BenchmarkAnalysis::OpenInfos() {
  for (; metrics_with_infos_ < catalog_.metrics().size(); ++metrics_with_infos_) {
    const std::size_t metric = metrics_with_infos_;
    if (IsGate(metric)) continue;
    const bool rate = IsRate(catalog_.metrics()[metric]);
    for (std::size_t reference : references_) {
      for (std::size_t candidate : candidates_) {
        infos_.push_back({reference, candidate, metric, PairedComparison(rate, std::nullopt)});
      }
    }
  }
}

std::optional<std::size_t> BenchmarkAnalysis::GateCount() const {
  if (gates_fixed_) return gates_.size();
  const std::size_t pairs = references_.size() * candidates_.size();
  if (const auto by_spec = GateMetricsBySpec(benchmark_)) return *by_spec * pairs;
  if (warmed_up_) return GateMetricsByCatalog(catalog_) * pairs;
  return std::nullopt;
}

Result<void> BenchmarkAnalysis::AddBlock(std::span<const Run* const> block, const LookPlan& plan,
                                         Levels& levels) {
  Result<BlockValues> values = BlockValues::Collapse(block, ids_, catalog_, benchmark_.arms.size());
  if (!values) return values.error();
  ++blocks_;
  for (const Run* run : block) ++runs_per_arm_[run->arm];

  auto take = [&values, &plan, this](NamedComparison& one, Level* level) {
    const std::optional<ArmValue> reference = values->At(one.reference, one.metric);
    const std::optional<ArmValue> candidate = values->At(one.candidate, one.metric);
    if (!reference || !candidate) return;
    one.comparison.Add(reference->value, candidate->value,
                       reference->positive && candidate->positive);
    if (level == nullptr || one.comparison.pairs() < plan.first_look) return;
    const double resolution = catalog_.metrics()[one.metric].resolution;
    one.comparison.Look(*level, resolution, blocks_, !plan.fixed_blocks);
  };
  for (NamedComparison& gate : gates_) take(gate, levels.gate ? &*levels.gate : nullptr);
  for (NamedComparison& info : infos_) take(info, &levels.info);
  for (const NamedComparison& gate : gates_) {
    if (Result<void> ratio = CheckRatio(gate, plan); !ratio) return ratio;
  }
  return {};
}

// A mean of 0 may still become positive before the first look; a rate of 0 never becomes harmless.
Result<void> BenchmarkAnalysis::CheckRatio(const NamedComparison& gate,
                                           const LookPlan& plan) const {
  const PairedComparison& comparison = gate.comparison;
  if (comparison.gate()->kind != MarginKind::kRatio || comparison.pairs() == 0 ||
      comparison.RatioPossible()) {
    return {};
  }
  const KnownMetric& metric = catalog_.metrics()[gate.metric];
  const std::uint64_t first_look =
      std::min(plan.first_look, plan.fixed_blocks.value_or(plan.first_look));
  if (!IsRate(metric) && comparison.pairs() < first_look) return {};
  return InvalidArgument("metric " + metric.key,
                         IsRate(metric) ? "a value is not above 0, so there is no relative change"
                                        : "its mean is not above 0, so there is no relative change",
                         "gate on the difference: --metric " + metric.key + ":+ABS");
}

void BenchmarkAnalysis::LookOnce(const Levels& levels) {
  auto look = [this](NamedComparison& one, const Level& level) {
    one.comparison.LookOnce(level, catalog_.metrics()[one.metric].resolution, blocks_);
  };
  if (levels.gate) {
    for (NamedComparison& gate : gates_) look(gate, *levels.gate);
  }
  for (NamedComparison& info : infos_) look(info, levels.info);
}

bool BenchmarkAnalysis::SettleByEstimate() {
  bool settled = false;
  for (NamedComparison& gate : gates_) {
    if (gate.comparison.SettleByEstimate(blocks_)) settled = true;
  }
  return settled;
}

bool BenchmarkAnalysis::AllGatesDecided() const {
  return gates_fixed_ && std::all_of(gates_.begin(), gates_.end(), [](const NamedComparison& gate) {
           return gate.comparison.verdict() != Verdict::kUndecided;
         });
}

}  // namespace benchd
