#include "core/analysis/metric_warnings.h"

namespace benchd {
namespace {

constexpr std::size_t kNamed = 5;

/// "a, b, c" or "a, b, c, d, e and 7 more".
std::string ListOf(std::span<const std::size_t> metrics, const MetricCatalog& catalog) {
  std::string list;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i == kNamed) return list + " and " + std::to_string(metrics.size() - kNamed) + " more";
    list.append(i == 0 ? "" : ", ").append(catalog.metrics()[metrics[i]].key);
  }
  return list;
}

}  // namespace

Warning MissingInArm(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                     const std::string& benchmark, const std::string& arm) {
  return {.code = "metric_missing",
          .message = arm + " never printed what another arm of " + benchmark +
                     " did, so it is not compared: " + ListOf(metrics, catalog),
          .benchmark = benchmark,
          .arm = arm};
}

Warning NoRatio(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                const std::string& benchmark) {
  return {.code = "no_ratio",
          .message = "0, or all the same in steps above the margin, in the first runs of " +
                     benchmark + ", so not gated by a relative change: " +
                     ListOf(metrics, catalog) + "; to gate on the difference: --metric " +
                     catalog.metrics()[metrics.front()].key + ":+ABS",
          .benchmark = benchmark,
          .arm = {}};
}

}  // namespace benchd
