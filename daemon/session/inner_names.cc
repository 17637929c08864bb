#include "daemon/session/inner_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/model/inner_benchmarks.h"
#include "core/model/metric.h"
#include "core/model/profile.h"

namespace benchd {

NameOwners OwnersIn(const SessionSpec& spec) {
  std::vector<std::string> names;
  for (const Benchmark& one : spec.benchmarks) names.push_back(one.inner);
  return NameOwners(std::move(names));
}

void DropOthers(const NameOwners& owners, std::string_view inner, RunOutcome& outcome) {
  if (inner.empty()) return;
  std::set<std::string> dropped;
  std::erase_if(outcome.samples, [&](const Sample& sample) {
    if (sample.inner_benchmark.empty() || IsOfProfile(sample.metric)) return false;
    const std::optional<std::string_view> owner = owners.Of(sample.inner_benchmark);
    if (!owner || *owner == inner) return false;
    dropped.insert(sample.inner_benchmark + "/" + sample.metric);
    return true;
  });
  std::erase_if(outcome.metrics,
                [&dropped](const MetricInfo& metric) { return dropped.contains(metric.name); });
}

void DropInnerName(const Benchmark& benchmark, RunOutcome& outcome) {
  if (benchmark.inner.empty()) return;
  std::map<std::string, std::string> renamed;
  for (Sample& sample : outcome.samples) {
    const bool named = !sample.inner_benchmark.empty() && !IsOfProfile(sample.metric);
    if (!named || !IsNameOf(sample.inner_benchmark, benchmark.inner)) continue;
    const std::string before = sample.inner_benchmark + "/" + sample.metric;
    const bool measured = FindBuiltinMetric(sample.metric) != nullptr;
    sample.inner_benchmark = measured ? benchmark.harness : std::string();
    renamed.emplace(before, measured ? benchmark.harness + "/" + sample.metric : sample.metric);
  }
  for (MetricInfo& metric : outcome.metrics) {
    if (const auto other = renamed.find(metric.name); other != renamed.end()) {
      metric.name = other->second;
    }
  }
}

namespace {

/// Adds the descriptions of the samples of each part to it. Descriptions are named INNER/NAME, or
/// NAME if they apply to all benchmarks.
void AddDescriptions(const std::vector<MetricInfo>& metrics, std::vector<RunOutcome>& parts) {
  for (RunOutcome& part : parts) {
    std::set<std::string, std::less<>> names;
    for (const Sample& sample : part.samples) {
      names.insert(sample.inner_benchmark + "/" + sample.metric);
      names.insert(sample.metric);
    }
    for (const MetricInfo& metric : metrics) {
      if (names.contains(metric.name)) part.metrics.push_back(metric);
    }
  }
}

}  // namespace

Result<std::vector<RunOutcome>> DivideOutcome(const SessionSpec& spec,
                                              std::span<const std::uint32_t> members,
                                              RunOutcome outcome) {
  std::vector<std::string> names;
  std::map<std::string_view, std::size_t> part_of;
  for (const std::uint32_t member : members) {
    part_of.emplace(spec.benchmarks[member].inner, names.size());
    names.push_back(spec.benchmarks[member].inner);
  }
  const NameOwners owners(names);
  std::vector<RunOutcome> parts(members.size());
  for (Sample& sample : outcome.samples) {
    const std::optional<std::string_view> owner = owners.Of(sample.inner_benchmark);
    if (owner) parts[part_of.at(*owner)].samples.push_back(std::move(sample));
  }
  AddDescriptions(outcome.metrics, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].samples.empty()) {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("a process that ran {} printed nothing about {}",
                               Counted(members.size(), "benchmark"), Quoted(names[i])),
                   "run each benchmark alone: --no-groups"};
    }
    DropInnerName(spec.benchmarks[members[i]], parts[i]);
  }
  return parts;
}

}  // namespace benchd
