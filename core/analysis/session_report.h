#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/benchmark_analysis.h"
#include "core/analysis/metric_comparison.h"
#include "core/analysis/sequential_design.h"
#include "core/model/session.h"

namespace benchd {

/// A benchmark with its current judgements, which are computed once per report. Invalid after the
/// next block.
struct JudgedBenchmark {
  const BenchmarkAnalysis* analysis = nullptr;
  std::vector<Judgement> gates;  ///< in the order of BenchmarkAnalysis::gates()
  /// In the order of infos(); present for unplanned gates.
  std::vector<std::optional<Judgement>> infos;
};
std::vector<JudgedBenchmark> Judge(std::span<const BenchmarkAnalysis> benchmarks);

/// Summarises the comparisons of a session. Everything is computed from the benchmarks.
///
/// Gates come first, then placebos, then info metrics that have a pair, all in the order of the
/// spec.
std::vector<Comparison> ReportComparisons(std::span<const JudgedBenchmark> benchmarks,
                                          const SequentialDesign& design, const Levels& levels);

/// Returns whether any gate regressed.
bool AnyRegressed(std::span<const JudgedBenchmark> benchmarks);

/// Returns regression if any gate regressed, else undecided if any gate is undecided or there are
/// no gates, else pass. Controls do not count, but if one changed, it is undecided whatever the
/// gates show.
///
/// @param awaits_controls  whether further blocks may still show that a control changed; the
/// verdict is then undecided, too
Verdict SessionVerdict(std::span<const JudgedBenchmark> benchmarks, bool awaits_controls);

/// Sets the gates that a warning invalidates to undecided, and updates the verdict of the report. A
/// warning identifies its gate by benchmark, metric, reference and candidate. If a gate is already
/// undecided, the warning becomes the reason, even if the warning does not name a metric. A gate
/// with a reason has no flag.
void Invalidate(std::span<const Warning> warnings, Report& report);

/// Flags info metrics as improvement or worse by Holm's method at level alpha over all their
/// p-values. The direction is that of the estimate at the look that attained the p-value. Metrics
/// without a direction count in the family but are never flagged. Disturbance metrics neither count
/// nor are flagged, because they explain a difference and are not properties of the programs.
void FlagInfoMetrics(std::span<Comparison> infos, std::span<const int> directions, double alpha);

/// Returns the warnings about the samples: `missing_values`, `resolution`, `intervals_disjoint`
/// (`info_intervals_disjoint` for a metric that does not gate), `estimate_outside` and `placebo`.
/// Those about controls as such are control_report.h's.
std::vector<Warning> ReportWarnings(std::span<const JudgedBenchmark> benchmarks,
                                    const Levels& levels);

/// Returns the expected number of further blocks that one gate of `benchmark` needs, estimated from
/// its current values. It is used for the expected time and the schedule, never for a verdict. It
/// counts blocks, not pairs, because blocks that lack the metric take time as well.
///
/// @return nothing if the gate is decided, if there is no forecast (stats/decision.h), or if the
/// number exceeds the limit of a session (kMostBlocks)
std::optional<double> ExpectedBlocks(const BenchmarkAnalysis& benchmark,
                                     const MetricComparison& gate, const SequentialDesign& design,
                                     const SignificanceLevel& level);

/// Returns the expected number of further blocks until the last open gate of the benchmark is
/// decided. Returns nothing if an open gate lacks a forecast, or if there are no open gates.
std::optional<double> ExpectedBlocksOfAll(const BenchmarkAnalysis& benchmark,
                                          const SequentialDesign& design, const Levels& levels);

}  // namespace benchd
