#include "core/analysis/run_units.h"

#include <algorithm>
#include <string_view>

#include "core/parse/harness_builder.h"

namespace benchd {
namespace {

bool IsCalled(const Sample& sample, std::string_view name) {
  const std::string_view inner = sample.inner_benchmark;
  if (inner.empty()) return name == sample.metric;
  return name.size() == inner.size() + 1 + sample.metric.size() && name.starts_with(inner) &&
         name[inner.size()] == '/' && name.ends_with(sample.metric);
}

// As in MetricCatalog: what is said of INNER/NAME, else what is said of NAME.
bool Describes(const MetricInfo& metric, const Sample& sample, const Run& run) {
  if (IsCalled(sample, metric.name)) return true;
  return metric.name == sample.metric &&
         std::ranges::none_of(run.metrics, [&sample](const MetricInfo& other) {
           return IsCalled(sample, other.name);
         });
}

}  // namespace

void RunUnits::Unify(std::vector<Run>& block) {
  std::vector<Run*> by_arm;
  for (Run& run : block) {
    if (!run.metrics.empty()) by_arm.push_back(&run);
  }
  std::ranges::stable_sort(by_arm, {}, [](const Run* run) { return run->arm; });
  for (Run* run : by_arm) {
    if (units_.size() <= run->benchmark) units_.resize(run->benchmark + std::size_t{1});
    Units& units = units_[run->benchmark];
    for (MetricInfo& metric : run->metrics) {
      const auto known = units.find(metric.name);
      if (known == units.end()) {
        units.emplace(metric.name, metric.unit);
      } else if (known->second != metric.unit) {
        Convert(metric, known->second, *run);
      }
    }
  }
}

void RunUnits::Convert(MetricInfo& metric, const std::string& unit, Run& run) {
  const auto scale = TimeScale(metric.unit, unit);
  if (!scale) return;
  for (Sample& sample : run.samples) {
    if (Describes(metric, sample, run)) sample.value = Scaled({sample.value, 0}, *scale).value;
  }
  metric.resolution = Scaled({metric.resolution, 0}, *scale).value;
  metric.unit = unit;
}

}  // namespace benchd
