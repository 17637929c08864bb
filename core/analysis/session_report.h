#pragma once

#include <span>
#include <vector>

#include "core/analysis/benchmark_analysis.h"
#include "core/analysis/look_plan.h"
#include "core/model/session.h"

namespace benchd {

/// What the comparisons of a session add up to. Stateless: everything is read off the benchmarks.
///
/// Gates come first, then info metrics that have a pair, each in the order of the spec.
std::vector<Comparison> ReportComparisons(std::span<const BenchmarkAnalysis> benchmarks,
                                          const LookPlan& plan, const Levels& levels);

/// Regression if any gate is, else undecided if any is (or there is none yet), else pass.
Verdict SessionVerdict(std::span<const BenchmarkAnalysis> benchmarks);

/// Marks info metrics as improvement or worse: Holm at level alpha over the p-values of all of
/// them; the direction is that of the estimate at the look that attained p. Metrics without a
/// direction count in the family and are never marked.
void FlagInfoMetrics(std::span<Comparison> infos, std::span<const int> directions, double alpha);

/// Warnings that the samples give cause for: `missing_values`, `resolution`, `last_look`,
/// `placebo`.
std::vector<Warning> ReportWarnings(std::span<const BenchmarkAnalysis> benchmarks,
                                    const Levels& levels);

}  // namespace benchd
