#pragma once

#include <span>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/report.h"
#include "client/present/text.h"
#include "core/analysis/table_analysis.h"

namespace benchd::client {

/// The result of analysing a table: the same verdict as in the final event of a session, and the
/// results that only a table has.
struct Analysis {
  v1::Update verdict;      ///< without a verdict if no metric gates
  bool has_gates = false;  ///< as in TableReport
  std::optional<std::uint64_t> decided_at;
  std::optional<WrongShares> wrong_shares;  ///< as in ReportOptions
  std::vector<ArmSummary> summaries;
  std::vector<ArmHistogram> histograms;
};

Analysis AnalysisOf(TableReport report);

/// Renders the output of `analyze`: mmtests' table and the histograms, if there are any, then the
/// text that `compare` prints at its end. For a sequential method, the text includes the number of
/// pairs at which the verdict was reached.
std::string RenderAnalysis(const Analysis& analysis, bool mmtests_stars, Detail detail,
                           const Style& style);

/// Renders the output of `analyze --json`: one object on one line, without the newline. It is the
/// event "verdict" as in the last line of `compare`, without the keys of a session (session,
/// elapsed_s, disturbances). It has `decided_at` for sequential methods, and `summaries` and
/// `histograms` if there are any.
std::string AnalysisJson(const Analysis& analysis, const google::protobuf::Timestamp& now);

/// Renders mmtests' table: one block per benchmark and metric, with one row per figure (min,
/// quartiles, max, mean, deviation, variation, mean of the best 95 %) and one column per arm. If
/// higher is better, the means are harmonic. A percentage is the gain over the first reference with
/// mmtests' sign: positive is better. A star marks an arm that differs from a reference; the rule
/// is printed below the table.
///
/// Arms that do not fit the width follow in another block. An undefined figure is "-". The text is
/// empty without summaries; otherwise it ends with an empty line.
///
/// @param verdict        the comparisons of the same table
/// @param mmtests_stars  whether the stars follow mmtests' rule
std::string RenderSummaries(std::span<const ArmSummary> summaries, const v1::Update& verdict,
                            bool mmtests_stars, const Style& style);

/// Renders the histograms of an analysis: one row per bin for each benchmark and metric, with the
/// arms side by side. Each arm has a bar and a count. A bar shows the share of the arm's values, on
/// the same scale for all arms, so that arms with different numbers of values can be compared.
///
/// Arms that do not fit the width follow below. The text is empty without histograms; otherwise it
/// ends with an empty line.
std::string RenderHistograms(std::span<const ArmHistogram> histograms, const Style& style);

}  // namespace benchd::client
