#include "core/analysis/session_report.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "core/analysis/data_checks.h"
#include "core/model/metric.h"
#include "core/stats/decision.h"

namespace benchd {
namespace {

Comparison ComparisonOf(const BenchmarkAnalysis& benchmark, const NamedComparison& one,
                        const SequentialDesign& design, double level) {
  const KnownMetric& metric = benchmark.catalog().metrics()[one.metric];
  Comparison named;
  named.benchmark = benchmark.spec().name;
  named.reference = benchmark.spec().arms[one.reference].name;
  named.candidate = benchmark.spec().arms[one.candidate].name;
  named.metric = metric.key;
  named.unit = metric.unit;
  named.role = one.comparison.is_gate() ? ComparisonRole::kGate : ComparisonRole::kInfo;
  named.better = metric.better;
  named.confidence = 1 - level;
  one.comparison.Describe(design, named);
  return named;
}

Warning MissingValues(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  const std::string& name = benchmark.spec().name;
  const std::string& reference = benchmark.spec().arms[gate.reference].name;
  const std::string& candidate = benchmark.spec().arms[gate.candidate].name;
  return MakeWarning("missing_values",
                     benchmark.catalog().metrics()[gate.metric].key + " is missing in " +
                         std::to_string(gate.comparison.Missing(benchmark.ContextOf(gate))) +
                         " of " + std::to_string(benchmark.blocks()) + " blocks of " + name + " (" +
                         reference + " against " + candidate +
                         "): no verdict is taken while more than 5 % lack it",
                     name, candidate);
}

Warning WithinResolution(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  const std::string& candidate = benchmark.spec().arms[gate.candidate].name;
  return MakeWarning("resolution",
                     benchmark.catalog().metrics()[gate.metric].key + " of " + candidate +
                         " is closer to the margin than one step of this metric can tell: "
                         "more runs will not decide it",
                     benchmark.spec().name, candidate);
}

std::string SubjectOf(const BenchmarkAnalysis& benchmark, const NamedComparison& one) {
  const auto& arms = benchmark.spec().arms;
  return benchmark.catalog().metrics()[one.metric].key + " of " + arms[one.candidate].name +
         " against " + arms[one.reference].name;
}

Warning IntervalsDisjoint(const BenchmarkAnalysis& benchmark, const NamedComparison& one) {
  const bool gate = one.comparison.is_gate();
  return MakeWarning(
      gate ? WarningCode("intervals_disjoint") : WarningCode("info_intervals_disjoint"),
      SubjectOf(benchmark, one) +
          ": two looks exclude each other, so the runs are not what the method "
          "assumes (one arm drifts, or runs depend on each other): no interval is "
          "left" +
          (gate ? ", and nothing more is decided by it" : ""),
      benchmark.spec().name, benchmark.spec().arms[one.candidate].name);
}

Warning EstimateOutside(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  return MakeWarning("estimate_outside",
                     SubjectOf(benchmark, gate) +
                         ": the last look's estimate lies outside of the interval that all looks "
                         "have in common; the interval holds",
                     benchmark.spec().name, benchmark.spec().arms[gate.candidate].name);
}

Warning PlaceboDiffers(const BenchmarkAnalysis& benchmark, const NamedComparison& info) {
  const std::string& reference = benchmark.spec().arms[info.reference].name;
  return MakeWarning(
      "placebo",
      benchmark.catalog().metrics()[info.metric].key + " of the placebo, a copy of " + reference +
          ", differs from " + reference +
          ": this machine finds differences where there are none; distrust the verdict",
      benchmark.spec().name, benchmark.spec().arms[info.candidate].name);
}

}  // namespace

void FlagInfoMetrics(std::span<Comparison> infos, std::span<const int> directions, double alpha) {
  std::vector<double> p_values;
  std::vector<std::size_t> tested;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (!infos[i].p_value || IsDisturbanceMetric(infos[i].metric)) continue;
    tested.push_back(i);
    p_values.push_back(*infos[i].p_value);
  }
  const std::vector<double> adjusted = HolmAdjust(p_values);
  for (std::size_t k = 0; k < tested.size(); ++k) {
    Comparison& info = infos[tested[k]];
    const int direction = directions[tested[k]];
    if (!info.better || direction == 0 || adjusted[k] > alpha) continue;
    info.flag = direction > 0 ? Flag::kWorse : Flag::kImprovement;
  }
}

std::vector<Comparison> ReportComparisons(std::span<const BenchmarkAnalysis> benchmarks,
                                          const SequentialDesign& design, const Levels& levels) {
  std::vector<Comparison> report;
  const double gate_level = levels.gate ? levels.gate->stated() : design.alpha;
  for (const BenchmarkAnalysis& benchmark : benchmarks) {
    for (const NamedComparison& gate : benchmark.gates()) {
      report.push_back(ComparisonOf(benchmark, gate, design, gate_level));
      if (levels.gate) {
        report.back().expected_blocks =
            ExpectedBlocks(benchmark, gate.comparison, design, *levels.gate);
      }
    }
  }
  const std::size_t gates = report.size();
  std::vector<int> directions;
  for (const BenchmarkAnalysis& benchmark : benchmarks) {
    for (const NamedComparison& info : benchmark.infos()) {
      if (info.comparison.values() == 0) continue;
      report.push_back(ComparisonOf(benchmark, info, design, levels.info.stated()));
      directions.push_back(info.comparison.Direction());
    }
  }
  FlagInfoMetrics(std::span(report).subspan(gates), directions, design.alpha);
  return report;
}

Verdict SessionVerdict(std::span<const BenchmarkAnalysis> benchmarks) {
  bool open = false;
  for (const BenchmarkAnalysis& benchmark : benchmarks) {
    open = open || !benchmark.AllGatesSettled();
    for (const NamedComparison& gate : benchmark.gates()) {
      if (gate.comparison.verdict() == Verdict::kRegression) return Verdict::kRegression;
      open = open || gate.comparison.verdict() == Verdict::kUndecided;
    }
  }
  return open ? Verdict::kUndecided : Verdict::kPass;
}

std::vector<Warning> ReportWarnings(std::span<const BenchmarkAnalysis> benchmarks,
                                    const Levels& levels) {
  std::vector<Warning> warnings;
  for (const BenchmarkAnalysis& benchmark : benchmarks) {
    for (Warning& found : benchmark.CheckMetrics()) warnings.push_back(std::move(found));
    for (const NamedComparison& gate : benchmark.gates()) {
      if (gate.comparison.Disjoint()) warnings.push_back(IntervalsDisjoint(benchmark, gate));
      if (gate.comparison.EstimateOutside()) warnings.push_back(EstimateOutside(benchmark, gate));
      if (gate.comparison.settled()) continue;
      if (gate.comparison.TooManyMissing(benchmark.ContextOf(gate))) {
        warnings.push_back(MissingValues(benchmark, gate));
      }
      if (gate.comparison.WithinResolution()) {
        warnings.push_back(WithinResolution(benchmark, gate));
      }
    }
    for (const NamedComparison& info : benchmark.infos()) {
      if (info.comparison.Disjoint()) warnings.push_back(IntervalsDisjoint(benchmark, info));
      const bool placebo = benchmark.spec().arms[info.candidate].role == ArmRole::kPlacebo;
      if (placebo && info.comparison.Changed(levels.info)) {
        warnings.push_back(PlaceboDiffers(benchmark, info));
      }
    }
  }
  return warnings;
}

std::optional<double> ExpectedBlocks(const BenchmarkAnalysis& benchmark,
                                     const MetricComparison& gate, const SequentialDesign& design,
                                     const SignificanceLevel& level) {
  if (gate.settled()) return std::nullopt;
  const auto blocks = static_cast<double>(benchmark.blocks());
  if (design.fixed_blocks) return std::max(0.0, static_cast<double>(*design.fixed_blocks) - blocks);
  std::optional<double> further = gate.ForecastFurtherPairs(level);
  if (!further) return std::nullopt;
  const auto pairs = static_cast<double>(gate.values());
  further = *further * blocks / pairs;
  // No verdict while over 5 % of the blocks lack the pair.
  further = std::max(*further, 20 * (blocks - pairs) - blocks);
  if (design.last_block) {
    further = std::min(*further, static_cast<double>(*design.last_block) - blocks);
  }
  if (*further > static_cast<double>(kMostBlocks)) return std::nullopt;
  return further;
}

std::optional<double> ExpectedBlocksOfAll(const BenchmarkAnalysis& benchmark,
                                          const SequentialDesign& design,
                                          const SignificanceLevel& level) {
  std::optional<double> most;
  for (const NamedComparison& gate : benchmark.gates()) {
    if (gate.comparison.settled()) continue;
    const std::optional<double> further = ExpectedBlocks(benchmark, gate.comparison, design, level);
    if (!further) return std::nullopt;
    most = std::max(most.value_or(0), *further);
  }
  return most;
}

}  // namespace benchd
