#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/session.h"

namespace benchd::store {

/// What comes out of a session as JSON, without loss (the rules are spec_json.h's).
std::string SnapshotToJson(const SessionSnapshot& snapshot);
std::string MetricsToJson(const std::vector<MetricInfo>& metrics);

/// The name of a state as `--state` and the database spell it: "queued", "preparing", ...
std::string_view StateName(SessionState state);
/// "warmup", "measured", "dropped".
std::string_view PhaseName(RunPhase phase);
std::optional<RunPhase> PhaseOfName(std::string_view name);

/// @errors kInternal naming the field that is missing or of the wrong type.
Result<SessionSnapshot> SnapshotFromJson(std::string_view json);
Result<std::vector<MetricInfo>> MetricsFromJson(std::string_view json);

}  // namespace benchd::store
