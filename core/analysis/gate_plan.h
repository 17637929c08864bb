#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/base/result.h"
#include "core/model/session_spec.h"

namespace benchd {

/// A gate after the warm-up: its metric is known to exist and has a direction.
struct PlannedGate {
  std::size_t metric = 0;  ///< number in the benchmark's catalog
  MarginKind kind = MarginKind::kRatio;
  double margin = 0;     ///< as the user wrote it
  double threshold = 0;  ///< on the scale of PairedEstimate, worse positive
};

/// Checks all that is known before the first run: margins, and that no metric is named twice.
///
/// @errors kInvalidArgument naming the metric.
Result<void> CheckGates(const Benchmark& benchmark, double default_margin);

/// The number of metrics that will gate in that benchmark. Nothing while that depends on the
/// output, as for a harness or a pattern.
std::optional<std::size_t> GateMetricsBySpec(const Benchmark& benchmark);
/// The number of gates over all pairs of arms, from the metrics of the warm-up, or from the columns
/// of a table.
std::size_t GateCountByCatalog(const Benchmark& benchmark, double default_margin,
                               const MetricCatalog& catalog, bool table = false);

/// The margin of that gate in the metric's own unit.
///
/// @errors kInvalidArgument: the margin's unit cannot be converted into the metric's.
Result<double> MarginOf(const Gate& gate, const KnownMetric& metric);

/// Whether each reference and candidate has shown the metric. Placebos are copies and do not count.
bool ShownByAll(const Benchmark& benchmark, const MetricCatalog& catalog, std::size_t metric);
/// Whether a harness metric gates by default, judged by the values so far or only by those after
/// MetricCatalog::BeginLater().
bool GatesByDefault(const Benchmark& benchmark, double default_margin, const MetricCatalog& catalog,
                    std::size_t metric);
/// The spec's gate for each metric of the catalog, by index.
std::vector<std::optional<std::size_t>> GateOfEachMetric(const Benchmark& benchmark,
                                                         const MetricCatalog& catalog);
/// Metrics with a direction that do not gate by default, because a default margin is a relative
/// change. Either a value is not above 0, or all values are equal and one step of the metric
/// exceeds the margin, so that no number of runs would decide (one allocation per run, a margin of
/// 2 %).
std::vector<std::size_t> NotGatedByDefault(const Benchmark& benchmark, double default_margin,
                                           const MetricCatalog& catalog);

/// Plans the gates: the metrics that the spec's gates match (gate_names.h). Without gates,
/// wall_time gates, or with a harness format every parsed metric that has a direction and that a
/// reference has shown, except metrics by name only and NotGatedByDefault().
/// BenchmarkAnalysis::JudgementOf() handles metrics that a candidate lacks. With `allow_missing`
/// only metrics that all arms have shown gate, possibly none. Applies `:lower` and `:higher` of the
/// spec to the catalog.
///
/// A gate that matches no metric here gates nothing: see GatesAboutNothing().
///
/// @param may_be_none  for tables: by default the metrics gate that can, possibly none.
/// @errors kInvalidArgument: a metric without direction (names the suffix to add), a relative
/// margin of 100 % or more on a rate, a margin whose unit cannot be converted into the metric's, or
/// no gate by default.
Result<std::vector<PlannedGate>> PlanGates(const Benchmark& benchmark, double default_margin,
                                           MetricCatalog& catalog, bool may_be_none = false);

/// Indices of the spec's gates that match no metric of the catalog. It is an error if that holds in
/// every benchmark that has the gate.
std::vector<std::size_t> GatesAboutNothing(const Benchmark& benchmark,
                                           const MetricCatalog& catalog);
/// kInvalidArgument if runs contradict each other about a metric's direction and no gate of the
/// spec states it: otherwise the arm that ran first would decide.
Result<void> CheckDirections(const Benchmark& benchmark, const MetricCatalog& catalog);
/// kInvalidArgument that names the gate, the available metrics and the nearest one.
Error UnknownGate(const Gate& gate, const Benchmark& benchmark, const MetricCatalog& catalog);

}  // namespace benchd
