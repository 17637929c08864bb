#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/runner/host.h"
#include "daemon/runner/perf_counters.h"
#include "daemon/system/run_groups.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Which of the metrics that not every machine has, or that cost something, the runs of a child are
/// to have.
struct MetricNeeds {
  std::vector<std::string> named;  ///< that must be had
  bool counters = false;           ///< all that PerfSupport has
  TreeFigureNeeds tree;
};

/// What can tell whether there is such a metric here.
struct MetricSources {
  const Host& host;
  const PerfSupport& perf;
  RunGroups& groups;  ///< with no child in them
  bool counters_always = false;
};

/// Needs of a child for which `metrics` must be had (OptionalMetrics() of model/metric.h).
/// @errors kFailedPrecondition naming the first that cannot be had, "metric instructions: not
///         available here: ...".
Result<MetricNeeds> ChooseMetrics(std::vector<std::string> metrics, MetricSources sources);

/// Leaves in `figures.missing` those that were named and are not there, each with why.
void NameMissing(const MetricNeeds& needs, wire::RunFigures& figures);

}  // namespace benchd
