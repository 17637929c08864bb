#include "client/render/analysis_report.h"

#include <utility>

#include "client/render/histogram_text.h"
#include "client/render/report.h"
#include "client/render/sentence.h"
#include "client/render/summary_table.h"
#include "proto/convert/to_proto.h"

namespace benchd::client {

Analysis AnalysisOf(TableReport report) {
  Analysis analysis;
  convert::ToProto(report.report, SessionState::kDone, &analysis.verdict);
  if (!report.has_gates) {
    analysis.verdict.clear_verdict();
    analysis.verdict.clear_basis();
  }
  analysis.decided_at = report.decided_at;
  analysis.summaries = std::move(report.summaries);
  analysis.histograms = std::move(report.histograms);
  return analysis;
}

std::string RenderAnalysis(const Analysis& analysis, bool mmtests_stars, const Style& style) {
  std::string text = RenderSummaries(analysis.summaries, analysis.verdict, mmtests_stars, style) +
                     RenderHistograms(analysis.histograms, style) +
                     RenderFindings(analysis.verdict, style);
  if (!analysis.decided_at) return text;
  for (const v1::Comparison& c : analysis.verdict.comparisons()) {
    if (c.role() != v1::COMPARISON_ROLE_GATE) continue;
    return text + "decided at " + DecisionCount(c, *analysis.decided_at) + "\n";
  }
  return text;
}

}  // namespace benchd::client
