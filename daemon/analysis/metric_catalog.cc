#include "daemon/analysis/metric_catalog.h"

#include <algorithm>
#include <span>

namespace benchd {
namespace {

constexpr std::size_t kKeysInAList = 20;

// Harnesses print their metrics in the same order again and again: starts behind the last hit.
const MetricInfo* FindNext(std::span<const MetricInfo> infos, std::string_view name,
                           std::size_t& last) {
  for (std::size_t step = 1; step <= infos.size(); ++step) {
    const std::size_t i = (last + step) % infos.size();
    if (infos[i].name == name) {
      last = i;
      return &infos[i];
    }
  }
  return nullptr;
}

void Describe(KnownMetric& metric, const MetricInfo& info) {
  metric.unit = info.unit;
  metric.better = info.better;
  metric.resolution = info.resolution;
}

}  // namespace

std::size_t MetricCatalog::IdOf(const Sample& sample) {
  std::string_view key = sample.metric;
  if (!sample.inner_benchmark.empty()) {
    scratch_.assign(sample.inner_benchmark).append("/").append(sample.metric);
    key = scratch_;
  }
  if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
  const std::size_t id = metrics_.size();
  KnownMetric metric;
  metric.key = key;
  if (const MetricInfo* builtin =
          sample.inner_benchmark.empty() ? FindBuiltinMetric(sample.metric) : nullptr) {
    metric.builtin = true;
    Describe(metric, *builtin);
  }
  metrics_.push_back(std::move(metric));
  ids_.emplace(metrics_.back().key, id);
  return id;
}

void MetricCatalog::Learn(const Run& run, std::vector<std::size_t>& ids) {
  ids.clear();
  std::size_t last_info = run.metrics.empty() ? 0 : run.metrics.size() - 1;
  for (const Sample& sample : run.samples) {
    const std::size_t known = metrics_.size();
    const std::size_t id = IdOf(sample);
    ids.push_back(id);
    KnownMetric& metric = metrics_[id];
    if (metric.builtin && id != known) continue;
    const MetricInfo* info = FindNext(run.metrics, sample.metric, last_info);
    if (info == nullptr) continue;
    if (metric.builtin) {
      // A table of somebody else's may have been measured by a coarser clock than ours.
      metric.resolution = std::max(metric.resolution, info->resolution);
      continue;
    }
    if (id == known) Describe(metric, *info);
    if (info->resolution > 0) {
      metric.resolution =
          metric.resolution > 0 ? std::min(metric.resolution, info->resolution) : info->resolution;
    }
  }
}

std::optional<std::size_t> MetricCatalog::Find(std::string_view key) const {
  const auto found = ids_.find(key);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::string MetricCatalog::ListOfKeys() const {
  std::string list;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (i == kKeysInAList) return list + ", ...";
    if (i > 0) list += ", ";
    list += metrics_[i].key;
  }
  return list.empty() ? "nothing" : list;
}

}  // namespace benchd
