#include "client/present/analysis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "client/present/findings.h"
#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "proto/convert/convert.h"

namespace benchd::client {

Analysis AnalysisOf(TableReport report) {
  Analysis analysis;
  convert::ToProto(report.report, SessionState::kDone, &analysis.verdict);
  analysis.has_gates = report.has_gates;
  if (!report.has_gates) {
    analysis.verdict.clear_verdict();
    analysis.verdict.clear_basis();
  }
  analysis.decided_at = report.decided_at;
  analysis.summaries = std::move(report.summaries);
  analysis.histograms = std::move(report.histograms);
  return analysis;
}

std::string RenderAnalysis(const Analysis& analysis, bool mmtests_stars, Detail detail,
                           const Style& style) {
  ReportOptions options;
  options.detail = detail;
  options.table = true;
  options.decided_at = analysis.decided_at;
  options.wrong_shares = analysis.wrong_shares;
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
  // A table has neither a duration nor disturbances.
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

namespace {

constexpr int kHistogramGap = 3;
constexpr int kUsualWidth = 100;  // if the output has no width limit
constexpr int kShortestBar = 10;
constexpr int kLongestBar = 40;

using Arms = std::vector<const ArmHistogram*>;

bool SameBins(const ArmHistogram& a, const ArmHistogram& b) {
  return a.benchmark == b.benchmark && a.metric == b.metric && a.edges == b.edges;
}

std::vector<Arms> HistogramBlocks(std::span<const ArmHistogram> histograms) {
  std::vector<Arms> blocks;
  for (const ArmHistogram& histogram : histograms) {
    const auto same = std::ranges::find_if(
        blocks, [&histogram](const Arms& arms) { return SameBins(*arms.front(), histogram); });
    if (same != blocks.end()) {
      same->push_back(&histogram);
    } else {
      blocks.push_back({&histogram});
    }
  }
  return blocks;
}

double Total(const ArmHistogram& arm) {
  double total = 0;
  for (const std::uint64_t count : arm.counts) total += static_cast<double>(count);
  return total;
}

double LargestShare(const Arms& arms) {
  double largest = 0;
  for (const ArmHistogram* arm : arms) {
    const double total = Total(*arm);
    for (const std::uint64_t count : arm->counts) {
      if (total > 0) largest = std::max(largest, static_cast<double>(count) / total);
    }
  }
  return largest;
}

// A bar of `length` cells. Unless the bin is empty, the bar is visible even if it is very short.
std::string Bar(double length, bool empty, const Style& style) {
  if (empty) return "";
  if (!style.unicode) {
    const auto cells = static_cast<std::size_t>(std::lround(length));
    return cells == 0 ? "." : std::string(cells, '#');
  }
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long eighths = std::max(1L, std::lround(length * 8));
  std::string bar;
  for (long i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + std::string(kEighths[static_cast<std::size_t>(eighths % 8)]);
}

// The column of the bins: the metric and its unit as a heading, then "10.05 … 10.10" per bin.
std::vector<std::string> BinColumn(const ArmHistogram& bins, const Style& style) {
  const double first = bins.edges.front();
  const double last = bins.edges.back();
  const double width = (last - first) / static_cast<double>(bins.counts.size());
  const ColumnFormat format(std::max(std::abs(first), std::abs(last)), width, bins.unit, style);
  std::vector<std::string> edges;
  for (const double edge : bins.edges) edges.push_back(format.Format(edge));
  const int widest = Widest(edges);
  std::vector<std::string> column = {Printable(bins.metric) +
                                     (format.unit().empty() ? "" : ", " + format.unit())};
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    column.push_back(PadLeft(edges[i], widest) +
                     (last > first ? std::string(To(style)) + PadLeft(edges[i + 1], widest) : ""));
  }
  return column;
}

// The column of one arm: its name as a heading, then "████▌     12" per bin.
std::vector<std::string> HistogramColumn(const ArmHistogram& arm, double largest_share,
                                         int bar_width, int count_width, const Style& style) {
  std::vector<std::string> column = {
      Shorten(Printable(arm.arm), bar_width + 1 + count_width, style)};
  const double total = Total(arm);
  for (const std::uint64_t count : arm.counts) {
    const double share = total > 0 ? static_cast<double>(count) / total / largest_share : 0;
    column.push_back(PadRight(Bar(share * bar_width, count == 0, style), bar_width + 1) +
                     PadLeft(std::to_string(count), count_width));
  }
  return column;
}

int CountWidth(const Arms& arms) {
  std::uint64_t most = 0;
  for (const ArmHistogram* arm : arms) {
    for (const std::uint64_t count : arm->counts) most = std::max(most, count);
  }
  return static_cast<int>(std::to_string(most).size());
}

std::string RenderHistogramBlock(const Arms& arms, const Style& style) {
  const std::vector<std::string> bins = BinColumn(*arms.front(), style);
  const int count_width = CountWidth(arms);
  const int around_bar = kHistogramGap + 1 + count_width;
  const int room = std::max(0, (style.width > 0 ? style.width : kUsualWidth) - Widest(bins));
  const auto fitting = static_cast<std::size_t>(std::max(1, room / (around_bar + kShortestBar)));
  const std::size_t abreast = std::min(fitting, arms.size());
  const int bar_width = std::clamp(room / static_cast<int>(abreast) - around_bar, 1, kLongestBar);
  const double largest_share = LargestShare(arms);
  std::string text;
  for (std::size_t begin = 0; begin < arms.size(); begin += abreast) {
    std::vector<std::vector<std::string>> columns = {bins};
    for (std::size_t i = begin; i < std::min(arms.size(), begin + abreast); ++i) {
      columns.push_back(HistogramColumn(*arms[i], largest_share, bar_width, count_width, style));
    }
    text += SideBySide(columns, kHistogramGap) + "\n";
  }
  return text;
}

}  // namespace

std::string RenderHistograms(std::span<const ArmHistogram> histograms, const Style& style) {
  std::string text;
  std::string benchmark;
  for (const Arms& arms : HistogramBlocks(histograms)) {
    const std::string& name = arms.front()->benchmark;
    if (name != benchmark && (name != "main" || !benchmark.empty())) {
      text += Paint(Printable(name), Tint::kBold, style) + "\n";
    }
    benchmark = name;
    text += RenderHistogramBlock(arms, style);
  }
  return text;
}

}  // namespace benchd::client
