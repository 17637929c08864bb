#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/benchmark_analysis.h"
#include "core/analysis/metric_comparison.h"
#include "core/analysis/sequential_design.h"
#include "core/model/session.h"

namespace benchd {

/// A benchmark and what its comparisons come to now: asked once for all of a report. A view that
/// the next block makes out of date.
struct JudgedBenchmark {
  const BenchmarkAnalysis* analysis = nullptr;
  std::vector<Judgement> gates;                 ///< by BenchmarkAnalysis::gates()
  std::vector<std::optional<Judgement>> infos;  ///< by infos(): gates that nobody planned
};
std::vector<JudgedBenchmark> Judge(std::span<const BenchmarkAnalysis> benchmarks);

/// What the comparisons of a session add up to. Stateless: everything is read off the benchmarks.
///
/// Gates come first, then info metrics that have a pair, each in the order of the spec.
std::vector<Comparison> ReportComparisons(std::span<const JudgedBenchmark> benchmarks,
                                          const SequentialDesign& design, const Levels& levels);

/// Regression if any gate is, else undecided if any is, or if nothing gates, else pass.
Verdict SessionVerdict(std::span<const JudgedBenchmark> benchmarks);

/// Makes the gates undecided that a warning invalidates, and the verdict with them. A warning names
/// its gate by benchmark, metric, reference and candidate. One that is undecided already has the
/// warning for its reason, also where that names no metric.
void Invalidate(std::span<const Warning> warnings, Report& report);

/// Marks info metrics as improvement or worse: Holm at level alpha over the p-values of all of
/// them; the direction is that of the estimate at the look that attained p. Metrics without a
/// direction count in the family and are never marked; what disturbed runs is neither: it explains
/// a difference and is none of the programs'.
void FlagInfoMetrics(std::span<Comparison> infos, std::span<const int> directions, double alpha);

/// Warnings that the samples give cause for: `missing_values`, `resolution`, `intervals_disjoint`
/// (of a metric that does not gate: `info_intervals_disjoint`), `estimate_outside`, `placebo`.
std::vector<Warning> ReportWarnings(std::span<const JudgedBenchmark> benchmarks,
                                    const Levels& levels);

/// How many further blocks one gate of `benchmark` is expected to need, as its values are now. For
/// the expected time to a verdict and for the schedule, never for a verdict. Blocks, not pairs:
/// those that lack the metric take their time too.
///
/// @return nothing when it is decided, when no number can be told (stats/decision.h), or when it is
///         more than a session may be asked for (kMostBlocks).
std::optional<double> ExpectedBlocks(const BenchmarkAnalysis& benchmark,
                                     const MetricComparison& gate, const SequentialDesign& design,
                                     const SignificanceLevel& level);

/// The same until the last open gate of the benchmark is decided; nothing when that of one of them
/// cannot be told, or none is open.
std::optional<double> ExpectedBlocksOfAll(const BenchmarkAnalysis& benchmark,
                                          const SequentialDesign& design,
                                          const SignificanceLevel& level);

}  // namespace benchd
