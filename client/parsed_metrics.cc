#include "client/parsed_metrics.h"

#include <algorithm>

#include "client/render/csv.h"
#include "proto/convert/enum_values.h"

namespace benchd::client {

void ParsedMetrics::Learn(const v1::Run& run) {
  if (run.phase() == v1::RUN_PHASE_DROPPED || run.metrics().empty()) return;
  std::map<std::string_view, const v1::MetricInfo*> infos;
  for (const v1::MetricInfo& info : run.metrics()) infos.emplace(info.name(), &info);
  for (const v1::Sample& sample : run.samples()) {
    // A metric of the harness' own benchmarks may be described for each of them.
    const std::string name = MetricName(sample);
    auto found = infos.find(name);
    if (found == infos.end()) found = infos.find(sample.metric());
    if (found == infos.end()) continue;
    const v1::MetricInfo& info = *found->second;
    const auto [known, is_new] = numbers_.try_emplace(name, columns_.size());
    if (is_new) {
      TableColumn& column = columns_.emplace_back();
      column.metric = known->first;
      column.unit = info.unit();
      column.better = convert::ToModel<Better>(info.better());
    }
    if (!info.has_resolution()) continue;
    TableColumn& column = columns_[known->second];
    column.resolution = std::min(column.resolution.value_or(info.resolution()), info.resolution());
  }
}

}  // namespace benchd::client
