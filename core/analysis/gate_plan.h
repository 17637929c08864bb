#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/base/result.h"
#include "core/model/session_spec.h"

namespace benchd {

/// A gate after the warm-up, whose metric is known to exist and has a direction.
struct PlannedGate {
  std::size_t metric = 0;  ///< number of the metric in the benchmark's catalog
  MarginKind kind = MarginKind::kRatio;
  double margin = 0;     ///< as the user wrote it; negative: how much better it has to be
  double threshold = 0;  ///< margin on the scale of PairedEstimate, positive = worse
  /// Whether any worsening counts while the values of each arm are all equal. The margin then
  /// applies only if they vary. Always true for kExact.
  bool exact = false;
  /// Whether the gate is a control (controls.h). Its margin is never negative, and counts in both
  /// directions: beyond `threshold`, and beyond `threshold` with the other sign.
  bool control = false;
};

/// What applies to gates for which the user gave no margin.
struct GateDefaults {
  // The constructor is implicit, because a margin alone is a complete default.
  GateDefaults(double of, bool counts = true) : margin(of), exact(counts) {}  // NOLINT

  double margin;
  bool exact;  ///< whether gates on counts of work (CountsWork()) are exact
};

/// Checks everything that is known before the first run: that margins are valid and, if the
/// direction of their metric is known, possible, and that no metric is named twice.
///
/// @errors kInvalidArgument, which names the metric
Result<void> CheckGates(const Benchmark& benchmark, double default_margin);

/// Returns the option that gates on a difference instead of a ratio: "--metric NAME:+ABS". Under a
/// negative margin, the difference is to be negative, too: "--metric NAME:+-ABS".
std::string OptionOfDifference(std::string_view metric, double margin);

/// Checks the exact gates of a session: before the first run, it is known that benchd measures a
/// time, also if a harness may print a metric of that name. A pattern is only checked without a
/// harness, because otherwise it may name other metrics.
///
/// @errors kInvalidArgument, which names the metric
Result<void> CheckExactGates(const Benchmark& benchmark);

/// Returns the number of metrics that will gate in this benchmark. Returns nothing if the number
/// depends on the output, as for a harness or a pattern.
std::optional<std::size_t> GateMetricsBySpec(const Benchmark& benchmark);
/// Returns the number of gates over all pairs of arms, from the metrics of the warm-up or from the
/// columns of a table. Those of a placebo count, too.
std::size_t GateCountByCatalog(const Benchmark& benchmark, const GateDefaults& defaults,
                               const MetricCatalog& catalog, bool table = false);

/// Returns the margin of the gate in the metric's unit. For an exact gate it is one unit of the
/// count: 1, or the metric's step if that is larger, such as a page.
///
/// @errors kInvalidArgument if the margin's unit cannot be converted to the metric's unit
Result<double> MarginOf(const Gate& gate, const KnownMetric& metric);

/// Returns whether a reference and a candidate have shown the metric, so that with `allow_missing`
/// these two are compared.
bool ShownByAPair(const Benchmark& benchmark, const MetricCatalog& catalog, std::size_t metric);
/// Returns whether a harness metric gates by default, judged by the values so far or only by the
/// values after MetricCatalog::BeginLater().
bool GatesByDefault(const Benchmark& benchmark, const GateDefaults& defaults,
                    const MetricCatalog& catalog, std::size_t metric);
/// Returns the spec's gate for each metric of the catalog, by index.
std::vector<std::optional<std::size_t>> GateOfEachMetric(const Benchmark& benchmark,
                                                         const MetricCatalog& catalog);
/// Returns the metrics that have a direction but do not gate by default, because a default margin
/// is a relative change. Either a value is not above 0, or all values are equal and one step of the
/// metric exceeds the margin. Then no number of runs would decide, as for one page per run and a
/// margin of 2 %. A count of work always gates, because it is exact, unless the default margin is
/// negative.
std::vector<std::size_t> NotGatedByDefault(const Benchmark& benchmark, const GateDefaults& defaults,
                                           const MetricCatalog& catalog);

/// Returns the gate as a control, which its margin bounds in both directions. A negative margin
/// counts by its size, because what must not change need not improve either.
///
/// @param rate  whether higher is better
PlannedGate AsControl(PlannedGate gate, bool rate);

/// Returns the number of pairs of arms that have the gates of a benchmark: each reference with each
/// candidate, and the first reference with the placebo, which is a control.
std::size_t GatedPairs(const Benchmark& benchmark);

/// Plans the gates, which are the metrics that the spec's gates match (gate_names.h). If the spec
/// lacks gates, wall_time is the gate. With a harness format, the gates are then the parsed metrics
/// that have a direction and that a reference has shown, except metrics that gate only by name and
/// NotGatedByDefault(). BenchmarkAnalysis::JudgementOf() handles metrics that a candidate lacks.
/// With `allow_missing` only metrics that all arms have shown are gates, so there may be no gates.
/// Applies `:lower` and `:higher` of the spec to the catalog.
///
/// A gate without a margin on a count of work is exact. If its values vary, the default margin
/// applies, or one unit if the default margin of the smallest value is less than that: there is
/// nothing between 5 allocations and 6. A negative default margin asks for an improvement, which an
/// exact gate does not judge, so such a gate has that margin as a ratio.
///
/// A gate that does not match any metric has no effect here; see GatesAboutNothing().
///
/// @param may_be_none  for tables: if the spec lacks gates, every metric that can gate becomes a
/// gate, and there may be no gates
/// @errors kInvalidArgument for a metric without a direction (the hint names the suffix to add), a
/// relative margin of 100 % or more on a rate or of -100 % or less on any other metric, a margin
/// whose unit cannot be converted to the metric's unit, an exact gate on a time or a rate, or a
/// benchmark in which no metric gates by default
Result<std::vector<PlannedGate>> PlanGates(const Benchmark& benchmark, const GateDefaults& defaults,
                                           MetricCatalog& catalog, bool may_be_none = false);

/// Returns the indices of the spec's gates that do not match any metric of the catalog. It is an
/// error if a gate does not match in any benchmark that has it (CheckGatesAboutNothing()).
std::vector<std::size_t> GatesAboutNothing(const Benchmark& benchmark,
                                           const MetricCatalog& catalog);

/// What is known about the spec's gates in one benchmark.
struct NamedGates {
  const Benchmark* benchmark = nullptr;
  const MetricCatalog* catalog = nullptr;
  std::span<const std::size_t> about_nothing;  ///< GatesAboutNothing(); empty until they are fixed
  bool fixed = false;                          ///< whether the benchmark has shown its metrics
};

/// Checks the gates of the spec. A gate may match metrics of only some benchmarks. It is an error
/// if all benchmarks with the gate have shown their metrics, and it does not match any of them.
/// @errors UnknownGate()
Result<void> CheckGatesAboutNothing(std::span<const NamedGates> benchmarks);
/// Returns kInvalidArgument if runs printed contradictory directions of a metric and no gate of the
/// spec states the direction. Otherwise the arm that ran first would determine the direction.
Result<void> CheckDirections(const Benchmark& benchmark, const MetricCatalog& catalog);
/// Returns kInvalidArgument, which names the gate, the available metrics and the metric with the
/// most similar name.
Error UnknownGate(const Gate& gate, const Benchmark& benchmark, const MetricCatalog& catalog);

}  // namespace benchd
