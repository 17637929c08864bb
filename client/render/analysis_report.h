#pragma once

#include <string>

#include "benchd/v1/analysis.pb.h"
#include "client/render/style.h"

namespace benchd::client {

/// What `analyze` prints: mmtests' table and the histograms where the answer has them, then what
/// `compare` prints at its end, and for a sequential method at how many pairs it was decided.
std::string RenderAnalysis(const v1::AnalyzeResponse& response, bool mmtests_stars,
                           const Style& style);

}  // namespace benchd::client
