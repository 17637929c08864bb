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

/// Checks what can be checked before anything ran: margins, and that no metric is named twice.
///
/// @errors kInvalidArgument naming the metric.
Result<void> CheckGates(const Benchmark& benchmark, double default_margin);

/// How many metrics will gate in that benchmark, nothing while that depends on what it prints: of a
/// harness, or by a pattern.
std::optional<std::size_t> GateMetricsBySpec(const Benchmark& benchmark);
/// How many gates there will be, of all pairs of arms, from what the warm-up printed; of a table,
/// from its columns.
std::size_t GateCountByCatalog(const Benchmark& benchmark, double default_margin,
                               const MetricCatalog& catalog, bool table = false);

/// The margin of that gate in the metric's own unit.
///
/// @errors kInvalidArgument: it is written in a unit that cannot be converted into the metric's.
Result<double> MarginOf(const Gate& gate, const KnownMetric& metric);

/// Whether each reference and each candidate has shown the metric; placebos are copies.
bool ShownByAll(const Benchmark& benchmark, const MetricCatalog& catalog, std::size_t metric);
/// Whether a metric of a harness gates where no gate is named, by what was seen so far: also by the
/// values alone that came after MetricCatalog::BeginLater().
bool GatesByDefault(const Benchmark& benchmark, double default_margin, const MetricCatalog& catalog,
                    std::size_t metric);
/// The gate of the spec that is about each metric of the catalog, by index.
std::vector<std::optional<std::size_t>> GateOfEachMetric(const Benchmark& benchmark,
                                                         const MetricCatalog& catalog);
/// Metrics with a direction that do not gate by default, because a default margin is a relative
/// change: a value is not above 0, or all of them are the same and one step of the metric is more
/// than the margin, so that no number of runs would decide (one allocation a run, a margin of 2 %).
std::vector<std::size_t> NotGatedByDefault(const Benchmark& benchmark, double default_margin,
                                           const MetricCatalog& catalog);

/// Which metrics gate: those that the gates of the spec are about (gate_names.h); without any gate
/// wall_time, or with a harness format every parsed metric with a direction that a reference has
/// shown (but those by name only, and NotGatedByDefault()): what a candidate lacks is for
/// BenchmarkAnalysis::JudgementOf() to say. With `allow_missing` only those that all arms have
/// shown, which may be none. Applies `:lower` and `:higher` of the spec to the catalog.
///
/// A gate that is about nothing here gates nothing: see GatesAboutNothing().
///
/// @param may_be_none  for tables: by default those metrics gate that can, which may be none.
/// @errors kInvalidArgument: a metric without direction (names the suffix to add), a relative
///         margin of 100 % or more on a rate, a margin in a unit that cannot be converted into the
///         metric's, no gate at all where none is named.
Result<std::vector<PlannedGate>> PlanGates(const Benchmark& benchmark, double default_margin,
                                           MetricCatalog& catalog, bool may_be_none = false);

/// The gates of the spec, by index, that no metric of the catalog is meant by: an error where that
/// holds in every benchmark that has the gate.
std::vector<std::size_t> GatesAboutNothing(const Benchmark& benchmark,
                                           const MetricCatalog& catalog);
/// kInvalidArgument where runs contradict each other on which direction of a metric is good, and no
/// gate of the spec says it: the first of them would be whichever arm ran first.
Result<void> CheckDirections(const Benchmark& benchmark, const MetricCatalog& catalog);
/// kInvalidArgument that names the gate, what there was, and what is nearest.
Error UnknownGate(const Gate& gate, const Benchmark& benchmark, const MetricCatalog& catalog);

}  // namespace benchd
