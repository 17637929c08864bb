#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/benchmark_analysis.h"
#include "core/analysis/metric_comparison.h"
#include "core/analysis/sequential_design.h"
#include "core/model/session.h"

namespace benchd {

/// A benchmark and its current judgements, computed once per report. Invalid after the next block.
struct JudgedBenchmark {
  const BenchmarkAnalysis* analysis = nullptr;
  std::vector<Judgement> gates;                 ///< by BenchmarkAnalysis::gates()
  std::vector<std::optional<Judgement>> infos;  ///< by infos(): unplanned gates
};
std::vector<JudgedBenchmark> Judge(std::span<const BenchmarkAnalysis> benchmarks);

/// Summarises the comparisons of a session. Stateless: everything is computed from the benchmarks.
///
/// Gates come first, then info metrics that have a pair, each in the order of the spec.
std::vector<Comparison> ReportComparisons(std::span<const JudgedBenchmark> benchmarks,
                                          const SequentialDesign& design, const Levels& levels);

/// Regression if any gate regressed, else undecided if any gate is or if there is none, else pass.
Verdict SessionVerdict(std::span<const JudgedBenchmark> benchmarks);

/// Makes gates undecided that a warning invalidates, and with them the verdict. A warning names its
/// gate by benchmark, metric, reference and candidate. For a gate that is already undecided the
/// warning becomes the reason, even if it names no metric.
void Invalidate(std::span<const Warning> warnings, Report& report);

/// Marks info metrics as improvement or worse: Holm at level alpha over all their p-values. The
/// direction is that of the estimate at the look that attained p. Metrics without a direction count
/// in the family but are never marked. Metrics of disturbances neither count nor are marked,
/// because they explain a difference and are not properties of the programs.
void FlagInfoMetrics(std::span<Comparison> infos, std::span<const int> directions, double alpha);

/// Warnings about the samples: `missing_values`, `resolution`, `intervals_disjoint` (for a metric
/// that does not gate: `info_intervals_disjoint`), `estimate_outside`, `placebo`.
std::vector<Warning> ReportWarnings(std::span<const JudgedBenchmark> benchmarks,
                                    const Levels& levels);

/// The expected number of further blocks that one gate of `benchmark` needs, from its current
/// values. Used for the expected time and the schedule, never for a verdict. Counts blocks, not
/// pairs, because blocks that lack the metric take time too.
///
/// @return nothing if the gate is decided, if there is no forecast (stats/decision.h), or if the
/// number exceeds the limit of a session (kMostBlocks).
std::optional<double> ExpectedBlocks(const BenchmarkAnalysis& benchmark,
                                     const MetricComparison& gate, const SequentialDesign& design,
                                     const SignificanceLevel& level);

/// The same until the last open gate of the benchmark is decided. Nothing if one of them has no
/// forecast, or if none is open.
std::optional<double> ExpectedBlocksOfAll(const BenchmarkAnalysis& benchmark,
                                          const SequentialDesign& design,
                                          const SignificanceLevel& level);

}  // namespace benchd
