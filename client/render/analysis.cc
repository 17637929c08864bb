#include "client/render/analysis.h"

#include <utility>

#include "client/render/geometric_mean.h"
#include "client/render/json.h"
#include "proto/convert/convert.h"

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
  analysis.pairs = std::move(report.pairs);
  return analysis;
}

std::string RenderAnalysis(const Analysis& analysis, bool mmtests_stars, Detail detail,
                           const Style& style) {
  ReportOptions options;
  options.detail = detail;
  options.context.table = true;
  options.decided_at = analysis.decided_at;
  options.pairs = analysis.pairs;
  const std::string findings = RenderFindings(analysis.verdict, options, style);
  if (detail == Detail::kVerdict) return findings;
  return RenderSummaries(analysis.summaries, analysis.verdict, mmtests_stars, style) +
         RenderHistograms(analysis.histograms, style) + findings;
}

namespace {

Json ToJson(const ArmSummary& summary) {
  Json json;
  json["benchmark"] = summary.benchmark;
  json["metric"] = summary.metric;
  PutText(json, "unit", summary.unit);
  json["arm"] = summary.arm;
  if (summary.better) json["better"] = NameOf(*summary.better);
  json["n"] = summary.n;
  Put(json, "min", summary.min);
  Put(json, "lower_quartile", summary.lower_quartile);
  Put(json, "median", summary.median);
  Put(json, "upper_quartile", summary.upper_quartile);
  Put(json, "max", summary.max);
  if (summary.mean) Put(json, "mean", *summary.mean);
  if (summary.standard_deviation) Put(json, "sd", *summary.standard_deviation);
  if (summary.variation) Put(json, "variation", *summary.variation);
  if (summary.best_mean) Put(json, "best_mean", *summary.best_mean);
  json["starred"] = Json::array();
  for (const std::string& reference : summary.starred) json["starred"].push_back(reference);
  return json;
}

Json ToJson(const ArmHistogram& histogram) {
  Json json;
  json["benchmark"] = histogram.benchmark;
  json["metric"] = histogram.metric;
  PutText(json, "unit", histogram.unit);
  json["arm"] = histogram.arm;
  json["edges"] = Json::array();
  for (const double edge : histogram.edges) json["edges"].push_back(edge);
  json["counts"] = Json::array();
  for (const std::uint64_t count : histogram.counts) json["counts"].push_back(count);
  return json;
}

}  // namespace

std::string AnalysisJson(const Analysis& analysis, const google::protobuf::Timestamp& now) {
  Json json = Named("verdict", "", now);
  AddFields(json, analysis.verdict);
  // Nothing was measured: no time went by, and nobody disturbed it.
  json.erase("elapsed_s");
  json.erase("disturbances");
  AddGeometricMeans(json, analysis.verdict);
  if (analysis.decided_at) json["decided_at"] = *analysis.decided_at;
  for (const ArmSummary& summary : analysis.summaries) {
    json["summaries"].push_back(ToJson(summary));
  }
  for (const ArmHistogram& histogram : analysis.histograms) {
    json["histograms"].push_back(ToJson(histogram));
  }
  return Line(json);
}

}  // namespace benchd::client
