#include "core/analysis/controls.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/model/name_pattern.h"

namespace benchd {
namespace {

// Returns whether the name stands for the benchmark, or for something in its output.
bool StandsForSomething(std::string_view name, const NamedGates& in) {
  return IsNamedBy(*in.benchmark, name) ||
         (in.catalog != nullptr &&
          std::ranges::any_of(in.catalog->metrics(), [name](const KnownMetric& metric) {
            return IsMetricNamedBy(metric, name);
          }));
}

bool HasName(const Benchmark& benchmark, const std::string& name) {
  return std::ranges::find(benchmark.controls, name) != benchmark.controls.end();
}

void AddOnce(std::string name, std::vector<std::string>& names) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

// Returns the names of the benchmarks that have this control, and of those in their output. It is
// only called for an error, so it may take time.
std::vector<std::string> NamesFor(const std::string& control,
                                  std::span<const NamedGates> benchmarks) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::string> names;
  for (const NamedGates& one : benchmarks) {
    if (!HasName(*one.benchmark, control)) continue;
    AddOnce(one.benchmark->inner.empty() ? one.benchmark->name : one.benchmark->inner, names);
    if (one.catalog == nullptr) continue;
    for (const KnownMetric& metric : one.catalog->metrics()) {
      if (metric.builtin || names.size() >= kMost) continue;
      const std::string_view key = metric.key;
      const bool has_inner = key.size() > metric.name.size() + 1;
      AddOnce(std::string(has_inner ? key.substr(0, key.size() - metric.name.size() - 1) : key),
              names);
    }
  }
  return names;
}

// Returns an error for a name that is not among `known`, or if nothing would be judged.
Result<void> CheckAmong(const std::set<std::string_view>& known,
                        std::span<const NamedGates> benchmarks) {
  for (const NamedGates& one : benchmarks) {
    for (const std::string& name : one.benchmark->controls) {
      if (!known.contains(name)) return UnknownControl(name, NamesFor(name, benchmarks));
    }
  }
  const auto is_control = [](const NamedGates& one) { return IsControl(*one.benchmark); };
  if (std::ranges::all_of(benchmarks, is_control)) return OnlyControls();
  return {};
}

}  // namespace

bool KnowsControls(const Benchmark& benchmark, bool fixed) {
  return fixed || (benchmark.harness.empty() && benchmark.parse.empty());
}

Result<void> CheckControls(std::span<const NamedGates> benchmarks) {
  std::set<std::string_view> known;
  for (const NamedGates& one : benchmarks) {
    const bool complete = KnowsControls(*one.benchmark, one.fixed);
    for (const std::string& name : one.benchmark->controls) {
      if (!complete || StandsForSomething(name, one)) known.insert(name);
    }
  }
  return CheckAmong(known, benchmarks);
}

Result<void> CheckListedControls(std::span<const Benchmark> benchmarks) {
  std::vector<NamedGates> named;
  std::set<std::string_view> known;
  for (const Benchmark& one : benchmarks) {
    named.push_back({.benchmark = &one});
    for (const std::string& name : one.controls) {
      const bool listed = !one.inner.empty();
      const bool continues =
          listed && (NamesControl(one.inner, name) || NamesControl(one.name, name));
      const bool unknown = !listed && !KnowsControls(one, false);
      if (continues || unknown || IsPattern(name) || IsNamedBy(one, name)) known.insert(name);
    }
  }
  return CheckAmong(known, named);
}

Error UnknownControl(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string_view> views(known.begin(), known.end());
  std::string typed(name);
  std::erase_if(typed, [](char c) { return c == '*' || c == '?'; });
  const std::size_t shown = std::min(kShown, known.size());
  std::string list = "available: " + Join(known.first(shown), ", ");
  if (known.size() > shown) list += " and " + std::to_string(known.size() - shown) + " more";
  return InvalidArgument("control " + std::string(name), "no benchmark matches",
                         HintForUnknown(typed, views, list));
}

Error OnlyControls() {
  return InvalidArgument("control", "every benchmark is a control, so there is nothing to judge",
                         "compare a benchmark that may change, too");
}

}  // namespace benchd
