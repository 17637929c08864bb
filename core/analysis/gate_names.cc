#include "core/analysis/gate_names.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/model/metric.h"

namespace benchd {
namespace {

std::string KeyOf(const NameableMetric& metric) {
  if (metric.inner.empty()) return std::string(metric.name);
  return std::string(metric.inner).append("/").append(metric.name);
}

/// The ways in which a gate may name a metric, in order of precedence.
enum class Naming { kName, kPattern };

bool IsNamed(const std::string& gate, const NameableMetric& metric, Naming how) {
  const std::string key = KeyOf(metric);
  if (how == Naming::kName) return gate == key || gate == metric.name;
  return MatchesPattern(gate, key) || MatchesPattern(gate, std::string(metric.name));
}

struct Named {
  Naming how = Naming::kName;
  std::vector<std::size_t> metrics;
};

/// Returns the metrics that the gate matches by the first kind of name that matches any metric.
Named NamedBy(const Gate& gate, std::span<const NameableMetric> metrics) {
  Named named;
  for (const Naming how : {Naming::kName, Naming::kPattern}) {
    for (const bool builtin : {false, true}) {
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        if (metrics[m].builtin == builtin && IsNamed(gate.metric, metrics[m], how)) {
          named.metrics.push_back(m);
        }
      }
      named.how = how;
      if (!named.metrics.empty()) return named;
    }
  }
  return named;
}

}  // namespace

std::vector<GatedMetric> MatchGates(std::span<const Gate> gates,
                                    std::span<const NameableMetric> metrics) {
  std::vector<Named> named;
  for (const Gate& gate : gates) named.push_back(NamedBy(gate, metrics));
  std::vector<std::optional<std::size_t>> gate_of(metrics.size());
  for (const Naming how : {Naming::kName, Naming::kPattern}) {
    for (std::size_t g = 0; g < named.size(); ++g) {
      if (named[g].how != how) continue;
      for (const std::size_t metric : named[g].metrics) {
        if (!gate_of[metric]) gate_of[metric] = g;
      }
    }
  }
  std::vector<GatedMetric> matched;
  for (std::size_t g = 0; g < named.size(); ++g) {
    for (const std::size_t metric : named[g].metrics) {
      if (gate_of[metric] == g) matched.push_back({g, metric});
    }
  }
  return matched;
}

}  // namespace benchd
