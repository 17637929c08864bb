#include "core/analysis/gate_names.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/metric.h"
#include "core/model/name_pattern.h"

namespace benchd {
namespace {

/// The ways in which a gate may match a metric, in order of precedence.
enum class Naming {
  kKey,      ///< INNER/NAME
  kName,     ///< NAME
  kTail,     ///< NAME, of a metric whose name may contain INNER
  kPattern,  ///< a pattern for any of these
  kNone,
};

std::string KeyOf(const NameableMetric& metric) {
  if (metric.inner.empty()) return std::string(metric.name);
  return std::string(metric.inner).append("/").append(metric.name);
}

/// Returns whether a gate is the text after a slash of a name that may contain INNER.
bool IsTail(std::string_view gate, const NameableMetric& metric) {
  return metric.inner.empty() && metric.name.size() > gate.size() && metric.name.ends_with(gate) &&
         metric.name[metric.name.size() - gate.size() - 1] == '/';
}

/// A gate, ready to be compared with many metrics.
class GateName {
 public:
  explicit GateName(std::string_view gate) : gate_(gate) {
    if (IsPattern(gate)) pattern_.emplace(gate);
  }

  /// @param key  of the metric
  Naming NamingOf(const NameableMetric& metric, std::string_view key) const {
    if (gate_ == key) return Naming::kKey;
    if (gate_ == metric.name) return Naming::kName;
    if (IsTail(gate_, metric)) return Naming::kTail;
    if (!pattern_) return Naming::kNone;
    const bool matches = metric.inner.empty()
                             ? pattern_->MatchesNameOrTail(key)
                             : pattern_->Matches(key) || pattern_->Matches(metric.name);
    return matches ? Naming::kPattern : Naming::kNone;
  }

 private:
  std::string_view gate_;
  std::optional<NamePattern> pattern_;
};

/// A metric that a gate matches, and how.
struct Named {
  std::size_t metric;
  Naming how;
};

/// The ways that exclude the following ones: if a gate matches a metric in one of them, it matches
/// only in that one. A built-in metric has neither an inner benchmark nor a tail.
struct Way {
  bool builtin;
  Naming first;
  Naming last;
};
constexpr Way kWays[] = {{false, Naming::kKey, Naming::kName},
                         {false, Naming::kTail, Naming::kTail},
                         {true, Naming::kKey, Naming::kName},
                         {false, Naming::kPattern, Naming::kPattern},
                         {true, Naming::kPattern, Naming::kPattern}};

std::vector<Named> NamedBy(const Gate& gate, std::span<const NameableMetric> metrics,
                           std::span<const std::string> keys) {
  const GateName name(gate.metric);
  std::vector<Named> all;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const Naming how = name.NamingOf(metrics[m], keys[m]);
    if (how != Naming::kNone) all.push_back({m, how});
  }
  for (const Way& way : kWays) {
    std::vector<Named> named;
    std::ranges::copy_if(all, std::back_inserter(named), [&](const Named& one) {
      return metrics[one.metric].builtin == way.builtin && one.how >= way.first &&
             one.how <= way.last;
    });
    if (named.empty()) continue;
    const auto in_reference = [metrics](const Named& one) {
      return metrics[one.metric].in_reference;
    };
    if (std::ranges::any_of(named, in_reference)) {
      std::erase_if(named, [&in_reference](const Named& one) {
        return one.how != Naming::kKey && !in_reference(one);
      });
    }
    return named;
  }
  return {};
}

}  // namespace

std::vector<GatedMetric> MatchGates(std::span<const Gate> gates,
                                    std::span<const NameableMetric> metrics) {
  std::vector<std::string> keys;
  for (const NameableMetric& metric : metrics) keys.push_back(KeyOf(metric));
  std::vector<std::vector<Named>> named;
  for (const Gate& gate : gates) named.push_back(NamedBy(gate, metrics, keys));
  // The gate that has the metric so far, and how it matches.
  struct Owner {
    std::size_t gate = 0;
    Naming how = Naming::kNone;
  };
  std::vector<Owner> owners(metrics.size());
  for (std::size_t g = 0; g < named.size(); ++g) {
    for (const Named& one : named[g]) {
      if (one.how < owners[one.metric].how) owners[one.metric] = {g, one.how};
    }
  }
  std::vector<GatedMetric> matched;
  for (std::size_t g = 0; g < named.size(); ++g) {
    for (const Named& one : named[g]) {
      if (owners[one.metric].gate == g) matched.push_back({g, one.metric});
    }
  }
  return matched;
}

}  // namespace benchd
