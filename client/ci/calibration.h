#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/json_value.h"
#include "core/analysis/calibration_outlook.h"
#include "core/base/result.h"

namespace benchd::client {

// The calibration of a job, in which the base was compared with itself, in words and as JSON. Pure.

/// Forecasts the comparison of a job from its calibration.
///
/// @param calibration  the spec of the calibration
/// @param report       the report with which it ended
/// @param planned      the spec of the comparison
/// @errors kInvalidArgument: a spec or a report that this client cannot read
Result<CalibrationOutlook> OutlookOf(const v1::SessionSpec& calibration, const v1::Update& report,
                                     const v1::SessionSpec& planned);

/// Returns what the runner can show, the recommended gate, and each margin that is too small.
std::vector<std::string> OutlookSentences(const CalibrationOutlook& outlook);

/// Renders the sentences as a folded list in Markdown.
std::string OutlookMarkdown(const CalibrationOutlook& outlook);

/// Renders the JSON line `ci_calibration`, without the newline.
std::string OutlookJson(const CalibrationOutlook& outlook, const std::string& session,
                        const google::protobuf::Timestamp& now);

}  // namespace benchd::client
