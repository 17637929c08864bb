#include "core/analysis/history.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/try.h"

namespace benchd {
namespace {

auto KeyOf(const GateSummary& summary) {
  return std::tuple(summary.benchmark, summary.series,
                    summary.candidate_commit ? std::string() : summary.candidate, summary.metric,
                    summary.machine);
}

bool Comparable(const GateSummary& a, const GateSummary& b) {
  return a.kernel == b.kernel && a.settings == b.settings;
}

// The values of a segment in which steps are searched for, and the entries that they belong to.
struct SegmentValues {
  std::vector<double> values;
  std::vector<std::size_t> entries;
};

// Leaves out the values of a machine that changed, as the controls of their sessions show.
SegmentValues ValuesOf(const std::vector<GateSummary>& entries) {
  SegmentValues values;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].control_changed) continue;
    values.values.push_back(*entries[i].mean_candidate);
    values.entries.push_back(i);
  }
  return values;
}

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Result<void> FindSteps(HistorySegment& segment, const ChangePointSearch& search) {
  const auto [values, entries] = ValuesOf(segment.entries);
  TRY(std::vector<ChangePoint> points, FindChangePoints(values, search));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : points[i - 1].index;
    const std::size_t at = points[i].index;
    const std::size_t end = i + 1 < points.size() ? points[i + 1].index : values.size();
    const std::span all(values);
    ChangePoint point = points[i];
    point.index = entries[at];
    segment.steps.push_back(
        {point, MeanOf(all.subspan(begin, at - begin)), MeanOf(all.subspan(at, end - at))});
  }
  return {};
}

Result<HistorySeries> MakeSeries(std::vector<GateSummary> entries,
                                 const ChangePointSearch& search) {
  if (entries.size() > kLongestSeries) {
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kLongestSeries));
  }
  HistorySeries series;
  for (GateSummary& entry : entries) {
    if (series.segments.empty() || !Comparable(series.last(), entry)) {
      series.segments.emplace_back();
    }
    series.segments.back().entries.push_back(std::move(entry));
  }
  for (HistorySegment& segment : series.segments) {
    TRY_VOID(FindSteps(segment, search));
  }
  return series;
}

}  // namespace

std::size_t HistorySeries::size() const {
  std::size_t count = 0;
  for (const HistorySegment& segment : segments) count += segment.entries.size();
  return count;
}

Result<std::vector<HistorySeries>> MakeHistory(std::vector<GateSummary> summaries,
                                               const ChangePointSearch& search) {
  std::erase_if(summaries, [](const GateSummary& summary) { return !summary.mean_candidate; });
  std::stable_sort(summaries.begin(), summaries.end(),
                   [](const GateSummary& a, const GateSummary& b) {
                     return std::tie(a.ended_at, a.number) < std::tie(b.ended_at, b.number);
                   });
  std::map<decltype(KeyOf(GateSummary())), std::vector<GateSummary>> by_key;
  for (GateSummary& summary : summaries) by_key[KeyOf(summary)].push_back(std::move(summary));
  std::vector<HistorySeries> history;
  for (auto& [key, entries] : by_key) {
    TRY(HistorySeries series, MakeSeries(std::move(entries), search));
    history.push_back(std::move(series));
  }
  std::stable_sort(history.begin(), history.end(),
                   [](const HistorySeries& a, const HistorySeries& b) {
                     return a.last().ended_at > b.last().ended_at;
                   });
  return history;
}

}  // namespace benchd
