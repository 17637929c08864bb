#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"
#include "core/analysis/table_analysis.h"

namespace benchd::client {

/// What the analysis of a table says: the verdict as the last event of a session has it, and what
/// only a table has.
struct Analysis {
  v1::Update verdict;  ///< without a verdict where no metric gates
  std::optional<std::uint64_t> decided_at;
  std::vector<ArmSummary> summaries;
  std::vector<ArmHistogram> histograms;
};

Analysis AnalysisOf(TableReport report);

/// What `analyze` prints: mmtests' table and the histograms where the answer has them, then what
/// `compare` prints at its end, and for a sequential method at how many pairs it was decided.
std::string RenderAnalysis(const Analysis& analysis, bool mmtests_stars, const Style& style);

/// What `analyze --json` prints, one object on one line (without the newline): event "verdict" as
/// compare's last line without what only a session has (session, elapsed_s, disturbances); with
/// `decided_at` for sequential methods, `summaries` and `histograms` where the answer has some.
std::string AnalysisJson(const Analysis& analysis, const google::protobuf::Timestamp& now);

}  // namespace benchd::client
