#include "core/analysis/gate_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <string>

#include "core/analysis/control_names.h"
#include "core/analysis/gate_names.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/name_pattern.h"
#include "core/model/unit.h"
#include "core/stats/decision.h"

namespace benchd {
namespace {

constexpr const char* kDefaultGate = "wall_time";

bool HasDirection(const KnownMetric& metric) {
  return !metric.builtin && (metric.better || metric.printed);
}

// Returns whether a metric may gate without being named.
bool GatesUnnamed(const KnownMetric& metric) {
  return HasDirection(metric) && !metric.by_name_only;
}

// Returns whether the values permit a relative change. Constant values are known only to within one
// step each (docs/statistics.md section 3, resolution).
bool HasRatio(const CommonValue& values, double resolution, double margin) {
  return values.any && values.positive &&
         (!values.constant || 2 * resolution / *values.constant < std::abs(margin));
}

// Returns whether all values, or only the later values, permit a relative change. A metric that was
// 0 until the gates were fixed, but no longer is, could have gated.
bool HasRatio(const KnownMetric& metric, double margin) {
  return HasRatio(metric.all, metric.resolution, margin) ||
         HasRatio(metric.later, metric.resolution, margin);
}

// If the arms are measured, each of them may show a metric, as a reference would.
bool ShownByAReference(const Benchmark& benchmark, const MetricCatalog& catalog, std::size_t id) {
  const std::vector<std::size_t> references =
      ArmsWithRole(benchmark, IsMeasured(benchmark) ? ArmRole::kMeasured : ArmRole::kReference);
  return std::ranges::any_of(references,
                             [&](std::size_t reference) { return catalog.ShownBy(reference, id); });
}

// Returns whether a metric may gate. A metric that a candidate lacks may gate and is reported as
// missing. A metric that only a candidate has cannot be compared with a reference.
bool MayGate(const Benchmark& benchmark, const MetricCatalog& catalog, std::size_t id) {
  const bool by_pair = benchmark.allow_missing && !IsMeasured(benchmark);
  return by_pair ? ShownByAPair(benchmark, catalog, id) : ShownByAReference(benchmark, catalog, id);
}

// Returns whether a gate on this metric is exact if the user gave no margin. An exact gate finds
// any worsening, which is not what a negative margin asks.
bool IsExactByDefault(const KnownMetric& metric, const GateDefaults& defaults) {
  return defaults.exact && defaults.margin >= 0 && CountsWork(metric.key, metric.unit);
}

bool IsDefaultGate(const Benchmark& benchmark, const GateDefaults& defaults,
                   const MetricCatalog& catalog, std::size_t id, bool table) {
  if (!table || !benchmark.parse.empty()) return GatesByDefault(benchmark, defaults, catalog, id);
  return GatesUnnamed(catalog.metrics()[id]) && MayGate(benchmark, catalog, id);
}

std::vector<GatedMetric> MatchCatalog(std::span<const Gate> gates, const Benchmark& benchmark,
                                      const MetricCatalog& catalog) {
  std::vector<NameableMetric> metrics;
  for (std::size_t id = 0; id < catalog.metrics().size(); ++id) {
    const KnownMetric& metric = catalog.metrics()[id];
    const std::string_view key = metric.key;
    const bool has_inner = key.size() > metric.name.size();
    metrics.push_back({.inner = has_inner ? key.substr(0, key.size() - metric.name.size() - 1) : "",
                       .name = metric.name,
                       .builtin = metric.builtin,
                       .in_reference = ShownByAReference(benchmark, catalog, id)});
  }
  return MatchGates(gates, metrics);
}

// Returns the gates by metric key.
std::vector<Gate> WantedGates(const Benchmark& benchmark, const GateDefaults& defaults,
                              const MetricCatalog& catalog, bool may_be_none) {
  std::vector<Gate> gates;
  const auto add = [&gates, &defaults](const std::string& metric) {
    gates.push_back(
        {.metric = metric, .margin = defaults.margin, .better = {}, .margin_implied = true});
  };
  if (!benchmark.gates.empty()) {
    for (const GatedMetric& one : MatchCatalog(benchmark.gates, benchmark, catalog)) {
      gates.push_back(benchmark.gates[one.gate]);
      gates.back().metric = catalog.metrics()[one.metric].key;
    }
    return gates;
  }
  const bool by_default =
      may_be_none ? catalog.Find(kDefaultGate).has_value() : benchmark.parse.empty();
  if (by_default) {
    add(kDefaultGate);
    return gates;
  }
  for (std::size_t id = 0; id < catalog.metrics().size(); ++id) {
    if (!IsDefaultGate(benchmark, defaults, catalog, id, may_be_none)) continue;
    add(catalog.metrics()[id].key);
  }
  return gates;
}

Error NoGate(const Benchmark& benchmark, const GateDefaults& defaults,
             const MetricCatalog& catalog) {
  const auto& metrics = catalog.metrics();
  if (std::any_of(metrics.begin(), metrics.end(), HasDirection) &&
      std::none_of(metrics.begin(), metrics.end(), GatesUnnamed)) {
    return InvalidArgument(
        "metric",
        "benchmark " + benchmark.name +
            " did not print a metric that gates by default (printed: " + catalog.ListOfKeys() + ")",
        "name the metric that decides: --metric NAME");
  }
  if (std::any_of(metrics.begin(), metrics.end(), GatesUnnamed)) {
    return InvalidArgument("metric",
                           "in benchmark " + benchmark.name +
                               " all metrics of the references are 0, or constant with a step "
                               "above the margin, so they cannot gate by a relative change "
                               "(printed: " +
                               catalog.ListOfKeys() + ")",
                           "gate on a difference: " + OptionOfDifference("NAME", defaults.margin));
  }
  return InvalidArgument("metric",
                         "the metrics that benchmark " + benchmark.name +
                             " printed do not have a direction, so they cannot gate (printed: " +
                             catalog.ListOfKeys() + ")",
                         "name a metric with its direction: --metric NAME:lower");
}

// Checks that a relative margin is a possible change of a metric with this direction.
Result<void> CheckPossible(const std::string& field, double margin, Better better) {
  if (better == Better::kHigher && margin >= 1) {
    return InvalidArgument(field, "a rate cannot drop by a margin of 100 % or more",
                           "use a margin below 100 %");
  }
  if (better == Better::kLower && margin <= -1) {
    return InvalidArgument(field, "no value can be lower by a margin of 100 % or more",
                           "use a margin above -100 %, such as -50%");
  }
  return {};
}

Result<double> Threshold(const Gate& gate, double margin, Better better) {
  if (gate.kind != MarginKind::kRatio) return margin;
  TRY_VOID(CheckPossible("metric " + gate.metric, margin, better));
  return better == Better::kLower ? LowerIsBetterThreshold(margin) : RateThreshold(margin);
}

// Returns the direction of a gate's metric if it is known before the first run. With `parse`, a
// program may print another metric with the name of a built-in one.
std::optional<Better> KnownDirection(const Gate& gate, const Benchmark& benchmark) {
  if (gate.better || !benchmark.parse.empty()) return gate.better;
  const MetricInfo* const builtin = FindBuiltinMetric(gate.metric);
  return builtin == nullptr ? std::nullopt : builtin->better;
}

std::string NearestKey(std::string_view typed, const MetricCatalog& catalog) {
  std::vector<std::string_view> keys;
  for (const KnownMetric& metric : catalog.metrics()) keys.push_back(metric.key);
  return HintForUnknown(typed, keys, "name one of these metrics with --metric");
}

// Returns whether the margin of the smallest value is less than one unit of a count.
bool IsBelowOneUnit(const KnownMetric& metric, double margin) {
  return !metric.all.positive || metric.all.least * margin < 1;
}

Result<void> CheckCount(const std::string& metric, const std::string& unit) {
  if (!IsOfTime(unit)) return {};
  return InvalidArgument("metric " + metric,
                         "its unit is '" + unit + "', but only a count can be exact",
                         "use a margin, such as --metric " + metric + ":2%");
}

Result<PlannedGate> PlanGate(Gate gate, const Benchmark& benchmark, const GateDefaults& defaults,
                             MetricCatalog& catalog) {
  const std::string field = "metric " + gate.metric;
  const std::optional<std::size_t> id = catalog.Find(gate.metric);
  if (!id) return UnknownGate(gate, benchmark, catalog);
  if (gate.better) catalog.SetDirection(*id, *gate.better);
  const std::optional<Better> better = catalog.metrics()[*id].better;
  if (!better) {
    return InvalidArgument(
        field, "it is unknown whether lower or higher is better, so it cannot gate",
        "write --metric " + gate.metric + ":lower or --metric " + gate.metric + ":higher");
  }
  const KnownMetric& metric = catalog.metrics()[*id];
  const bool by_default = gate.margin_implied && IsExactByDefault(metric, defaults);
  if (by_default && IsBelowOneUnit(metric, gate.margin)) gate.kind = MarginKind::kExact;
  const bool exact = by_default || gate.kind == MarginKind::kExact;
  if (exact) TRY_VOID(CheckCount(metric.key, metric.unit));
  TRY(const double margin, MarginOf(gate, metric));
  TRY(const double threshold, Threshold(gate, margin, *better));
  const PlannedGate planned{*id, gate.kind, margin, threshold, exact, false};
  if (!IsControlMetric(benchmark, metric)) return planned;
  return AsControl(planned, *better == Better::kHigher);
}

bool IsAboutNothing(const std::string& metric, std::span<const NamedGates> benchmarks) {
  return std::ranges::all_of(benchmarks, [&metric](const NamedGates& one) {
    const std::vector<Gate>& gates = one.benchmark->gates;
    const auto named = std::ranges::find(gates, metric, &Gate::metric);
    if (named == gates.end()) return true;
    const auto index = static_cast<std::size_t>(named - gates.begin());
    return one.fixed && std::ranges::find(one.about_nothing, index) != one.about_nothing.end();
  });
}

}  // namespace

std::string OptionOfDifference(std::string_view metric, double margin) {
  return "--metric " + std::string(metric) + (margin < 0 ? ":+-ABS" : ":+ABS");
}

Result<void> CheckGates(const Benchmark& benchmark, double default_margin) {
  if (!std::isfinite(default_margin)) {
    return InvalidArgument("margin", "must be a finite number", "write, for example, --margin 2%");
  }
  const bool by_wall_time = benchmark.gates.empty() && benchmark.parse.empty();
  if (by_wall_time) TRY_VOID(CheckPossible("margin", default_margin, Better::kLower));
  std::set<std::string> seen;
  for (const Gate& gate : benchmark.gates) {
    if (!std::isfinite(gate.margin)) {
      return InvalidArgument("metric " + gate.metric, "its margin must be a finite number",
                             "write, for example, --metric " + gate.metric + ":2%");
    }
    const std::optional<Better> better = KnownDirection(gate, benchmark);
    if (gate.kind == MarginKind::kRatio && better) {
      TRY_VOID(CheckPossible("metric " + gate.metric, gate.margin, *better));
    }
    const bool has_unit = !gate.unit.empty();
    if (has_unit && (gate.kind != MarginKind::kAbsolute || FindTypedUnit(gate.unit) == nullptr)) {
      return InvalidArgument(
          "metric " + gate.metric,
          "its margin is in '" + gate.unit + "', which is not a unit of time or bytes",
          "write, for example, --metric " + gate.metric + ":+1MiB");
    }
    const MetricInfo* const builtin =
        benchmark.parse.empty() ? FindBuiltinMetric(gate.metric) : nullptr;
    if (gate.kind == MarginKind::kExact && builtin != nullptr) {
      TRY_VOID(CheckCount(gate.metric, builtin->unit));
    }
    if (!seen.insert(gate.metric).second) {
      return InvalidArgument("metric " + gate.metric, "named twice in benchmark " + benchmark.name,
                             "keep only one of the two");
    }
  }
  return {};
}

Result<void> CheckExactGates(const Benchmark& benchmark) {
  for (const Gate& gate : benchmark.gates) {
    if (gate.kind != MarginKind::kExact) continue;
    if (const MetricInfo* const named = FindBuiltinMetric(gate.metric)) {
      TRY_VOID(CheckCount(gate.metric, named->unit));
    } else if (benchmark.parse.empty()) {
      for (const MetricInfo& metric : BuiltinMetrics()) {
        if (MatchesPattern(gate.metric, metric.name)) {
          TRY_VOID(CheckCount(metric.name, metric.unit));
        }
      }
    }
  }
  return {};
}

Result<double> MarginOf(const Gate& gate, const KnownMetric& metric) {
  if (gate.kind == MarginKind::kExact) return std::max(1.0, metric.resolution);
  const UnitInfo* const from = FindTypedUnit(gate.unit);
  if (from == nullptr || gate.unit == metric.unit) return gate.margin;
  const UnitInfo* const to = FindMetricUnit(metric.unit);
  if (to != nullptr && to->dimension == from->dimension) {
    return from->scale.To(to->scale).Of(gate.margin);
  }
  const std::string margin = from->dimension == Dimension::kTime ? "but the margin is a time"
                                                                 : "but the margin is in bytes";
  return InvalidArgument("metric " + metric.key,
                         metric.unit.empty() ? "has no unit, " + margin
                                             : "its unit is '" + metric.unit + "', " + margin,
                         "write the margin as a bare number");
}

std::optional<std::size_t> GateMetricsBySpec(const Benchmark& benchmark) {
  const bool by_pattern = std::any_of(benchmark.gates.begin(), benchmark.gates.end(),
                                      [](const Gate& gate) { return IsPattern(gate.metric); });
  if (!benchmark.parse.empty() || by_pattern) return std::nullopt;
  return std::max<std::size_t>(1, benchmark.gates.size());
}

std::size_t GateCountByCatalog(const Benchmark& benchmark, const GateDefaults& defaults,
                               const MetricCatalog& catalog, bool table) {
  const bool named = !benchmark.gates.empty();
  const std::size_t candidates = ArmsWithRole(benchmark, ArmRole::kCandidate).size();
  const std::size_t placebos = ArmsWithRole(benchmark, ArmRole::kPlacebo).size();
  const std::vector<std::size_t> references = ArmsWithRole(benchmark, ArmRole::kReference);
  std::size_t count = 0;
  for (const Gate& gate : WantedGates(benchmark, defaults, catalog, table)) {
    const std::optional<std::size_t> id = catalog.Find(gate.metric);
    for (const std::size_t reference : references) {
      if (!named && (!id || !catalog.ShownBy(reference, *id))) continue;
      count += candidates + (reference == references.front() ? placebos : 0);
    }
  }
  return count;
}

PlannedGate AsControl(PlannedGate gate, bool rate) {
  gate.control = true;
  if (gate.margin >= 0) return gate;
  gate.margin = -gate.margin;
  gate.threshold = std::abs(gate.threshold);
  if (gate.kind != MarginKind::kRatio) return gate;
  // A rate cannot drop by 100 % or more, but has to rise by more than that under such a margin.
  if (!rate) gate.threshold = LowerIsBetterThreshold(gate.margin);
  if (rate && gate.margin < 1) gate.threshold = RateThreshold(gate.margin);
  return gate;
}

std::size_t GatedPairs(const Benchmark& benchmark) {
  return ArmsWithRole(benchmark, ArmRole::kReference).size() *
             ArmsWithRole(benchmark, ArmRole::kCandidate).size() +
         ArmsWithRole(benchmark, ArmRole::kPlacebo).size();
}

bool ShownByAPair(const Benchmark& benchmark, const MetricCatalog& catalog, std::size_t metric) {
  return std::ranges::all_of(
      std::array{ArmRole::kReference, ArmRole::kCandidate}, [&](ArmRole role) {
        return std::ranges::any_of(ArmsWithRole(benchmark, role),
                                   [&](std::size_t arm) { return catalog.ShownBy(arm, metric); });
      });
}

bool GatesByDefault(const Benchmark& benchmark, const GateDefaults& defaults,
                    const MetricCatalog& catalog, std::size_t metric) {
  const KnownMetric& known = catalog.metrics()[metric];
  return GatesUnnamed(known) && MayGate(benchmark, catalog, metric) &&
         (HasRatio(known, defaults.margin) || IsExactByDefault(known, defaults));
}

std::vector<std::optional<std::size_t>> GateOfEachMetric(const Benchmark& benchmark,
                                                         const MetricCatalog& catalog) {
  std::vector<std::optional<std::size_t>> gates(catalog.metrics().size());
  for (const GatedMetric& one : MatchCatalog(benchmark.gates, benchmark, catalog)) {
    gates[one.metric] = one.gate;
  }
  return gates;
}

std::vector<std::size_t> NotGatedByDefault(const Benchmark& benchmark, const GateDefaults& defaults,
                                           const MetricCatalog& catalog) {
  std::vector<std::size_t> without;
  if (benchmark.parse.empty() || !benchmark.gates.empty()) return without;
  for (std::size_t id = 0; id < catalog.metrics().size(); ++id) {
    const KnownMetric& metric = catalog.metrics()[id];
    const bool may_gate = GatesUnnamed(metric) && MayGate(benchmark, catalog, id);
    if (may_gate && !GatesByDefault(benchmark, defaults, catalog, id)) without.push_back(id);
  }
  return without;
}

Result<std::vector<PlannedGate>> PlanGates(const Benchmark& benchmark, const GateDefaults& defaults,
                                           MetricCatalog& catalog, bool may_be_none) {
  std::vector<PlannedGate> planned;
  for (const Gate& gate : WantedGates(benchmark, defaults, catalog, may_be_none)) {
    TRY(PlannedGate one, PlanGate(gate, benchmark, defaults, catalog));
    if (benchmark.allow_missing && !ShownByAPair(benchmark, catalog, one.metric)) continue;
    planned.push_back(one);
  }
  const bool must_gate = benchmark.gates.empty() && !may_be_none && !benchmark.allow_missing;
  if (planned.empty() && must_gate) {
    return NoGate(benchmark, defaults, catalog);
  }
  return planned;
}

std::vector<std::size_t> GatesAboutNothing(const Benchmark& benchmark,
                                           const MetricCatalog& catalog) {
  std::vector<std::size_t> unknown;
  for (std::size_t g = 0; g < benchmark.gates.size(); ++g) {
    // Each gate is matched alone, because it is known even if another gate takes precedence for its
    // metrics.
    if (MatchCatalog(std::span(&benchmark.gates[g], 1), benchmark, catalog).empty()) {
      unknown.push_back(g);
    }
  }
  return unknown;
}

Result<void> CheckDirections(const Benchmark& benchmark, const MetricCatalog& catalog) {
  if (catalog.with_both_directions().empty()) return {};
  const std::vector<GatedMetric> matched = MatchCatalog(benchmark.gates, benchmark, catalog);
  for (const std::size_t id : catalog.with_both_directions()) {
    const auto gate = std::ranges::find(matched, id, &GatedMetric::metric);
    if (gate != matched.end() && benchmark.gates[gate->gate].better) continue;
    const KnownMetric& metric = catalog.metrics()[id];
    return InvalidArgument("metric " + metric.key,
                           "printed with conflicting directions, 'lower' and 'higher'",
                           "print one direction of " + metric.name +
                               " for every arm, or name it: --metric " + metric.key + ":lower");
  }
  return {};
}

Result<void> CheckGatesAboutNothing(std::span<const NamedGates> benchmarks) {
  for (const NamedGates& one : benchmarks) {
    for (const std::size_t number : one.about_nothing) {
      const Gate& gate = one.benchmark->gates[number];
      if (!IsAboutNothing(gate.metric, benchmarks)) continue;
      return UnknownGate(gate, *one.benchmark, *one.catalog);
    }
  }
  return {};
}

Error UnknownGate(const Gate& gate, const Benchmark& benchmark, const MetricCatalog& catalog) {
  return InvalidArgument("metric " + gate.metric,
                         "unknown metric in benchmark " + benchmark.name +
                             " (available: " + catalog.ListOfKeys() + ")",
                         NearestKey(gate.metric, catalog));
}

}  // namespace benchd
