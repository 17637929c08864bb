#include "daemon/store/model_json.h"

#include "daemon/store/json_codec.h"

namespace benchd::store {

std::string SpecToJson(const SessionSpec& spec) { return ToJsonText(spec); }

Result<SessionSpec> SpecFromJson(std::string_view json) {
  return FromJsonText<SessionSpec>(json, "spec");
}

std::string SnapshotToJson(const SessionSnapshot& snapshot) { return ToJsonText(snapshot); }

std::string MetricsToJson(const std::vector<MetricInfo>& metrics) { return ToJsonText(metrics); }

Result<SessionSnapshot> SnapshotFromJson(std::string_view json) {
  return FromJsonText<SessionSnapshot>(json, "snapshot");
}

Result<std::vector<MetricInfo>> MetricsFromJson(std::string_view json) {
  return FromJsonText<std::vector<MetricInfo>>(json, "metrics");
}

std::string SummaryToJson(const GateSummary& summary) { return ToJsonText(summary); }

Result<GateSummary> SummaryFromJson(std::string_view json) {
  return FromJsonText<GateSummary>(json, "summary");
}

}  // namespace benchd::store
