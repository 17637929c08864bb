#pragma once

#include <string>

#include "benchd/v1/analysis.pb.h"

namespace benchd::client {

/// What `analyze --json` prints, one object on one line (without the newline): event "verdict" as
/// compare's last line without what only a session has (session, elapsed_s, disturbances); with
/// `decided_at` for sequential methods, `summaries` and `histograms` where the answer has some.
std::string AnalysisJson(const v1::AnalyzeResponse& response,
                         const google::protobuf::Timestamp& now);

}  // namespace benchd::client
