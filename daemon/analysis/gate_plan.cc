#include "daemon/analysis/gate_plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "daemon/base/error.h"
#include "daemon/stats/decision.h"

namespace benchd {
namespace {

constexpr const char* kDefaultGate = "wall_time";

bool IsDefaultGate(const KnownMetric& metric) {
  return !metric.builtin && metric.better.has_value();
}

std::vector<Gate> WantedGates(const Benchmark& benchmark, double default_margin,
                              const MetricCatalog& catalog, bool may_be_none) {
  if (!benchmark.gates.empty()) return benchmark.gates;
  std::vector<Gate> gates;
  const bool by_default =
      may_be_none ? catalog.Find(kDefaultGate).has_value() : benchmark.parse.empty();
  if (by_default) {
    gates.push_back({.metric = kDefaultGate, .margin = default_margin, .better = {}});
    return gates;
  }
  for (const KnownMetric& metric : catalog.metrics()) {
    if (IsDefaultGate(metric)) {
      gates.push_back({.metric = metric.key, .margin = default_margin, .better = {}});
    }
  }
  return gates;
}

Error NoGate(const Benchmark& benchmark, const MetricCatalog& catalog) {
  return InvalidArgument(
      "metric",
      "nothing that benchmark " + benchmark.name +
          " printed has a direction, so nothing can gate (printed: " + catalog.ListOfKeys() + ")",
      "name one with its direction, such as --metric NAME:lower");
}

Result<double> Threshold(const Gate& gate, Better better) {
  if (gate.kind == MarginKind::kAbsolute) return gate.margin;
  if (better == Better::kLower) return LowerIsBetterThreshold(gate.margin);
  if (gate.margin >= 1) {
    return InvalidArgument("metric " + gate.metric,
                           "a rate cannot drop by a margin of 100 % or more",
                           "use a margin below 100 %");
  }
  return RateThreshold(gate.margin);
}

Result<PlannedGate> PlanGate(const Gate& gate, const Benchmark& benchmark, MetricCatalog& catalog) {
  const std::string field = "metric " + gate.metric;
  const std::optional<std::size_t> id = catalog.Find(gate.metric);
  if (!id) {
    return InvalidArgument(field,
                           "nobody printed it in benchmark " + benchmark.name +
                               " (there are: " + catalog.ListOfKeys() + ")",
                           "name one of these with --metric");
  }
  if (gate.better) catalog.SetDirection(*id, *gate.better);
  const std::optional<Better> better = catalog.metrics()[*id].better;
  if (!better) {
    return InvalidArgument(
        field, "whether lower or higher is better is unknown, so it cannot gate",
        "write --metric " + gate.metric + ":lower or --metric " + gate.metric + ":higher");
  }
  Result<double> threshold = Threshold(gate, *better);
  if (!threshold) return threshold.error();
  return PlannedGate{*id, gate.kind, gate.margin, *threshold};
}

}  // namespace

Result<void> CheckGates(const Benchmark& benchmark, double default_margin) {
  if (!(std::isfinite(default_margin) && default_margin >= 0)) {
    return InvalidArgument("margin", "must be a finite number of at least 0",
                           "such as --margin 2%");
  }
  std::set<std::string> seen;
  for (const Gate& gate : benchmark.gates) {
    if (!(std::isfinite(gate.margin) && gate.margin >= 0)) {
      return InvalidArgument("metric " + gate.metric,
                             "its margin must be a finite number of at least 0",
                             "such as --metric " + gate.metric + ":2%");
    }
    if (!seen.insert(gate.metric).second) {
      return InvalidArgument("metric " + gate.metric, "named twice in benchmark " + benchmark.name,
                             "a metric has one gate: keep one of the two");
    }
  }
  return {};
}

std::optional<std::size_t> GateMetricsBySpec(const Benchmark& benchmark) {
  if (!benchmark.gates.empty()) return benchmark.gates.size();
  if (benchmark.parse.empty()) return 1;
  return std::nullopt;
}

std::size_t GateMetricsByCatalog(const MetricCatalog& catalog, bool table) {
  if (table && catalog.Find(kDefaultGate)) return 1;
  return static_cast<std::size_t>(
      std::count_if(catalog.metrics().begin(), catalog.metrics().end(), IsDefaultGate));
}

Result<std::vector<PlannedGate>> PlanGates(const Benchmark& benchmark, double default_margin,
                                           MetricCatalog& catalog, bool may_be_none) {
  std::vector<PlannedGate> planned;
  for (const Gate& gate : WantedGates(benchmark, default_margin, catalog, may_be_none)) {
    Result<PlannedGate> one = PlanGate(gate, benchmark, catalog);
    if (!one) return one.error();
    planned.push_back(*one);
  }
  if (planned.empty() && !may_be_none) return NoGate(benchmark, catalog);
  return planned;
}

}  // namespace benchd
