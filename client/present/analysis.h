#pragma once

#include <span>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/report.h"
#include "client/present/text.h"
#include "core/analysis/table_analysis.h"

namespace benchd::client {

/// What the analysis of a table says: the verdict as the last event of a session has it, and what
/// only a table has.
struct Analysis {
  v1::Update verdict;      ///< without a verdict where no metric gates
  bool has_gates = false;  ///< as of TableReport
  std::optional<std::uint64_t> decided_at;
  std::vector<ArmSummary> summaries;
  std::vector<ArmHistogram> histograms;
};

Analysis AnalysisOf(TableReport report);

/// What `analyze` prints: mmtests' table and the histograms where the answer has them, then what
/// `compare` prints at its end, and for a sequential method at how many pairs it was decided.
std::string RenderAnalysis(const Analysis& analysis, bool mmtests_stars, Detail detail,
                           const Style& style);

/// What `analyze --json` prints, one object on one line (without the newline): event "verdict" as
/// compare's last line without what only a session has (session, elapsed_s, disturbances); with
/// `decided_at` for sequential methods, `summaries` and `histograms` where the answer has some.
std::string AnalysisJson(const Analysis& analysis, const google::protobuf::Timestamp& now);

/// mmtests' table: for each benchmark and metric a block with a row per figure (min, quartiles,
/// max, mean, deviation, variation, mean of the best 95 %; harmonic where higher is better) and a
/// column per arm. A percentage is the gain over the first reference as mmtests counts it: positive
/// is better. A star stands where an arm differs from a reference by the rule that is named below.
///
/// Arms that do not fit the width follow in a block of their own. What a sample does not have is
/// "-". Empty without summaries; else it ends with an empty line.
///
/// @param verdict        of the same table: who is compared with whom
/// @param mmtests_stars  which rule gave the stars
std::string RenderSummaries(std::span<const ArmSummary> summaries, const v1::Update& verdict,
                            bool mmtests_stars, const Style& style);

/// The histograms of an analysis: for each benchmark and metric a row per bin, the arms side by
/// side with a bar and a count each. Bars of all arms have one scale, the share of the arm's
/// values, so that arms of different sizes can be compared.
///
/// Arms that do not fit the width follow below. Empty without histograms; else it ends with an
/// empty line.
std::string RenderHistograms(std::span<const ArmHistogram> histograms, const Style& style);

}  // namespace benchd::client
