#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/summary.h"

namespace benchd::store {

/// A SessionSpec as JSON, without loss: doubles in shortest round-trip form, enums by name, empty
/// optionals left out, bytes that are no UTF-8 as hex.
std::string SpecToJson(const SessionSpec& spec);

/// @errors kInternal naming the field that is missing or of the wrong type.
Result<SessionSpec> SpecFromJson(std::string_view json);

/// What comes out of a session as JSON, without loss (by the same rules).
std::string SnapshotToJson(const SessionSnapshot& snapshot);
std::string MetricsToJson(const std::vector<MetricInfo>& metrics);

/// All but its number, which the row has.
std::string SummaryToJson(const GateSummary& summary);

/// @errors kInternal naming the field that is missing or of the wrong type.
Result<GateSummary> SummaryFromJson(std::string_view json);
Result<SessionSnapshot> SnapshotFromJson(std::string_view json);
Result<std::vector<MetricInfo>> MetricsFromJson(std::string_view json);

}  // namespace benchd::store
