#include "core/analysis/control_names.h"

#include <algorithm>
#include <string>

namespace benchd {

bool NamesControl(std::string_view name, std::string_view text) {
  return ControlPattern(std::string(name)).Names(text);
}

bool IsNamedBy(const Benchmark& benchmark, std::string_view name) {
  return NamesControl(name, benchmark.name) ||
         (!benchmark.inner.empty() && NamesControl(name, benchmark.inner));
}

// The key of a metric is INNER/NAME, so the name of an inner benchmark stands for all of its
// metrics.
bool IsMetricNamedBy(const KnownMetric& metric, std::string_view name) {
  return !metric.builtin && NamesControl(name, metric.key);
}

bool IsControl(const Benchmark& benchmark) {
  return benchmark.control ||
         std::ranges::any_of(benchmark.controls, [&benchmark](const std::string& name) {
           return IsNamedBy(benchmark, name);
         });
}

bool IsControlMetric(const Benchmark& benchmark, const KnownMetric& metric) {
  return IsControl(benchmark) ||
         std::ranges::any_of(benchmark.controls, [&metric](const std::string& name) {
           return IsMetricNamedBy(metric, name);
         });
}

}  // namespace benchd
