#include "daemon/runner/metric_needs.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace benchd {
namespace {

Error NotHere(const std::string& metric, const std::string& why) {
  return Error{ErrorCode::kFailedPrecondition, "metric " + metric + ": not available here: " + why,
               "gate on another metric, such as cpu_time"};
}

/// Empty, or why not.
std::string WhyNoBytes(const Host& host) {
  return host.counts_io ? "" : "this kernel does not count them (CONFIG_TASK_IO_ACCOUNTING)";
}

std::string WhyNoTree(RunGroups& groups, const TreeFigureNeeds& needs) {
  auto begun = groups.BeginRun(needs);
  return begun ? "" : begun.error().message;
}

bool Has(const wire::RunFigures& figures, std::string_view metric) {
  if (metric == "read_bytes") return figures.read_bytes.has_value();
  if (metric == "write_bytes") return figures.write_bytes.has_value();
  if (metric == "tree_cpu_time") return figures.tree_cpu_time_us.has_value();
  if (metric == "tree_memory_peak") return figures.tree_memory_peak_bytes.has_value();
  return std::any_of(figures.counters.begin(), figures.counters.end(),
                     [metric](const wire::CounterFigure& one) { return one.metric == metric; });
}

}  // namespace

Result<MetricNeeds> ChooseMetrics(std::vector<std::string> metrics, MetricSources sources) {
  MetricNeeds needs;
  needs.counters = sources.counters_always && sources.perf.any();
  for (const std::string& metric : metrics) {
    std::string why;
    if (metric == "read_bytes" || metric == "write_bytes") {
      why = WhyNoBytes(sources.host);
    } else if (metric == "tree_cpu_time") {
      needs.tree.cpu_time = true;
      why = WhyNoTree(sources.groups, {.cpu_time = true});
    } else if (metric == "tree_memory_peak") {
      needs.tree.memory_peak = true;
      why = WhyNoTree(sources.groups, {.memory_peak = true});
    } else {
      needs.counters = true;
      why = sources.perf.WhyNot(metric);
    }
    if (!why.empty()) return NotHere(metric, why);
  }
  needs.named = std::move(metrics);
  return needs;
}

void NameMissing(const MetricNeeds& needs, wire::RunFigures& figures) {
  const auto told = std::exchange(figures.missing, {});
  for (const std::string& metric : needs.named) {
    if (Has(figures, metric)) continue;
    const auto found =
        std::find_if(told.begin(), told.end(),
                     [&metric](const wire::MissingMetric& one) { return one.metric == metric; });
    figures.missing.push_back({metric, found != told.end() ? found->why : "this run had none"});
  }
}

}  // namespace benchd
