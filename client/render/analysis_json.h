#pragma once

#include <string>

#include "client/render/analysis_report.h"

namespace benchd::client {

/// What `analyze --json` prints, one object on one line (without the newline): event "verdict" as
/// compare's last line without what only a session has (session, elapsed_s, disturbances); with
/// `decided_at` for sequential methods, `summaries` and `histograms` where the answer has some.
std::string AnalysisJson(const Analysis& analysis, const google::protobuf::Timestamp& now);

}  // namespace benchd::client
