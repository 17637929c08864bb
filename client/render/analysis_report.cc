#include "client/render/analysis_report.h"

#include "client/render/histogram_text.h"
#include "client/render/report.h"
#include "client/render/sentence.h"
#include "client/render/summary_table.h"

namespace benchd::client {

std::string RenderAnalysis(const v1::AnalyzeResponse& response, bool mmtests_stars,
                           const Style& style) {
  std::string text = RenderSummaries(response, mmtests_stars, style) +
                     RenderHistograms(response, style) + RenderFindings(response.verdict(), style);
  if (!response.has_decided_at()) return text;
  for (const v1::Comparison& c : response.verdict().comparisons()) {
    if (c.role() != v1::COMPARISON_ROLE_GATE) continue;
    return text + "decided at " + DecisionCount(c, response.decided_at()) + "\n";
  }
  return text;
}

}  // namespace benchd::client
