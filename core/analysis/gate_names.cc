#include "core/analysis/gate_names.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/model/metric.h"

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

/// Returns whether `matches` is true for the text after a slash of a name that may contain INNER.
template <typename Matches>
bool AnyTail(const NameableMetric& metric, const Matches& matches) {
  if (!metric.inner.empty()) return false;
  std::string_view rest = metric.name;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    rest.remove_prefix(slash + 1);
    if (matches(rest)) return true;
  }
  return false;
}

Naming NamingOf(std::string_view gate, const NameableMetric& metric) {
  const std::string key = KeyOf(metric);
  if (gate == key) return Naming::kKey;
  if (gate == metric.name) return Naming::kName;
  if (AnyTail(metric, [gate](std::string_view tail) { return gate == tail; })) return Naming::kTail;
  if (!IsPattern(gate)) return Naming::kNone;
  const auto fits = [gate](std::string_view name) { return MatchesPattern(gate, name); };
  const bool by_pattern = fits(key) || fits(metric.name) || AnyTail(metric, fits);
  return by_pattern ? Naming::kPattern : Naming::kNone;
}

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

std::vector<Named> NamedBy(const Gate& gate, std::span<const NameableMetric> metrics) {
  std::vector<Named> all;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const Naming how = NamingOf(gate.metric, metrics[m]);
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
  std::vector<std::vector<Named>> named;
  for (const Gate& gate : gates) named.push_back(NamedBy(gate, metrics));
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
