#include "core/analysis/run_units.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/parse/harness_builder.h"

namespace benchd {
namespace {

/// The conversion to the session's unit, by the name of a described metric. Absent if the metric
/// already has that unit.
using Scales = std::unordered_map<std::string_view, std::optional<UnitScale>>;

// Returns the conversion for INNER/NAME, or else for NAME, as MetricCatalog looks up descriptions.
std::optional<UnitScale> ScaleOf(const Sample& sample, const Scales& scales, std::string& key) {
  auto found = scales.end();
  if (!sample.inner_benchmark.empty()) {
    key.assign(sample.inner_benchmark).append("/").append(sample.metric);
    found = scales.find(key);
  }
  if (found == scales.end()) found = scales.find(sample.metric);
  return found == scales.end() ? std::nullopt : found->second;
}

/// Converts all samples in one pass, because a run may have as many converted metrics as samples.
void ConvertSamples(Run& run, const Scales& scales) {
  std::string key;
  for (Sample& sample : run.samples) {
    if (const auto scale = ScaleOf(sample, scales, key)) {
      sample.value = Scaled({sample.value, 0}, *scale).value;
    }
  }
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
    Convert(*run, units_[run->benchmark]);
  }
}

void RunUnits::Convert(Run& run, Units& units) {
  Scales scales;
  bool any = false;
  for (MetricInfo& metric : run.metrics) {
    const std::string& unit = units.emplace(metric.name, metric.unit).first->second;
    const auto scale = unit == metric.unit ? std::nullopt : TimeScale(metric.unit, unit);
    scales.emplace(metric.name, scale);
    if (!scale) continue;
    any = true;
    metric.resolution = Scaled({metric.resolution, 0}, *scale).value;
    metric.unit = unit;
  }
  if (any) ConvertSamples(run, scales);
}

}  // namespace benchd
