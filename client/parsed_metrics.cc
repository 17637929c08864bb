#include "client/parsed_metrics.h"

#include <algorithm>

#include "client/render/csv.h"

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
      v1::Column& column = columns_.emplace_back();
      column.set_metric(known->first);
      column.set_unit(info.unit());
      column.set_better(info.better());
    }
    if (!info.has_resolution()) continue;
    v1::Column& column = columns_[known->second];
    column.set_resolution(column.has_resolution() ? std::min(column.resolution(), info.resolution())
                                                  : info.resolution());
  }
}

}  // namespace benchd::client
