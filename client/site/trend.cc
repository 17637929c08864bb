#include "client/site/trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "client/present/history.h"
#include "client/report/page.h"
#include "client/report/plot.h"
#include "client/site/site.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr Style kPlain;

std::vector<const GateSummary*> EntriesOf(const HistorySeries& series) {
  std::vector<const GateSummary*> entries;
  entries.reserve(series.size());
  for (const HistorySegment& segment : series.segments) {
    for (const GateSummary& entry : segment.entries) entries.push_back(&entry);
  }
  return entries;
}

SeriesEntry MarkOf(const GateSummary& entry, const ColumnFormat& values) {
  const std::string change = EntryChange(entry, kPlain);
  SeriesEntry mark;
  mark.cells = {UtcMinute(entry.ended_at), SiteText(EntryName(entry), 40),
                values.WithUnit(values.Format(*entry.mean_candidate))};
  if (!change.empty()) mark.cells.push_back(change);
  mark.cells.push_back(EntryVerdict(entry));
  mark.value = *entry.mean_candidate;
  mark.regression = entry.verdict == Verdict::kRegression;
  return mark;
}

SeriesEntry MarkOf(std::span<const GateSummary* const> entries, const ColumnFormat& values) {
  if (entries.size() == 1) return MarkOf(*entries.front(), values);
  SeriesEntry mark;
  Range range{*entries.front()->mean_candidate, *entries.front()->mean_candidate};
  std::uint64_t regressions = 0;
  for (const GateSummary* const entry : entries) {
    range.Include(*entry->mean_candidate);
    mark.value += *entry->mean_candidate / static_cast<double>(entries.size());
    regressions += entry->verdict == Verdict::kRegression ? 1 : 0;
  }
  mark.count = entries.size();
  mark.regression = regressions > 0;
  mark.range = {range.low, range.high};
  mark.cells = {UtcMinute(entries.front()->ended_at) + " … " + UtcMinute(entries.back()->ended_at),
                Counted(entries.size(), "entry", "entries"),
                values.WithUnit(values.Format(range.low) + " … " + values.Format(range.high)),
                "mean " + values.WithUnit(values.Format(mark.value))};
  if (mark.regression) mark.cells.push_back(Counted(regressions, "regression"));
  return mark;
}

/// Removes the levels before the newest ones. Returns the number of entries before the first of the
/// others.
std::size_t KeepNewestLevels(std::vector<SeriesLevel>* levels) {
  if (levels->size() <= kMostLevels) return 0;
  levels->erase(levels->begin(), levels->end() - static_cast<std::ptrdiff_t>(kMostLevels));
  const std::size_t before = levels->front().begin;
  for (SeriesLevel& level : *levels) level.begin -= before;
  levels->front().why.clear();
  return before;
}

}  // namespace

Picture DrawTrend(const std::string& id, const HistorySeries& series, std::size_t most_marks) {
  const ColumnFormat values = ValuesOf(series, kPlain);
  const std::vector<const GateSummary*> all = EntriesOf(series);
  SeriesOfPicture picture{MeasureOf(series), "", {}, series.last().unit, {}, LevelsOf(series)};
  const std::size_t before = KeepNewestLevels(&picture.levels);
  const std::span<const GateSummary* const> entries = std::span(all).subspan(before);
  const std::size_t together = (entries.size() + most_marks - 1) / most_marks;
  for (std::size_t level = 0; level < picture.levels.size(); ++level) {
    const std::size_t end =
        level + 1 < picture.levels.size() ? picture.levels[level + 1].begin : entries.size();
    for (std::size_t at = picture.levels[level].begin; at < end; at += together) {
      picture.entries.push_back(MarkOf(entries.subspan(at, std::min(together, end - at)), values));
    }
  }
  if (together > 1) {
    picture.note = fmt::format(
        "Each mark is the mean of up to {} consecutive entries, with a line from the smallest to "
        "the largest value.",
        together);
  }
  if (before > 0) {
    picture.note += fmt::format("{}The oldest {} of {} entries are not drawn.",
                                picture.note.empty() ? "" : " ", before, all.size());
  }
  return DrawSeries(id, picture);
}

std::string DrawSparkline(const std::string& id, const HistorySeries& series) {
  constexpr double kWidth = 140;
  constexpr double kHeight = 32;
  constexpr double kAir = 5;
  constexpr std::size_t kMostPoints = 48;
  const std::vector<const GateSummary*> entries = EntriesOf(series);
  const std::size_t together = (entries.size() + kMostPoints - 1) / kMostPoints;
  std::vector<double> means;
  for (std::size_t at = 0; at < entries.size(); at += together) {
    const std::size_t end = std::min(at + together, entries.size());
    double sum = 0;
    for (std::size_t i = at; i < end; ++i) {
      sum += *entries[i]->mean_candidate / static_cast<double>(end - at);
    }
    means.push_back(sum);
  }
  const auto [least, most] = std::ranges::minmax(means);
  const AxisScale x(0, static_cast<double>(std::max<std::size_t>(means.size() - 1, 1)), kAir,
                    kWidth - kAir);
  const AxisScale y(least, most, kHeight - kAir, kAir);
  std::vector<double> points;
  for (std::size_t i = 0; i < means.size(); ++i) {
    points.insert(points.end(), {x(static_cast<double>(i)), y(means[i])});
  }
  Svg svg(id, kWidth, kHeight);
  svg.Curve(points, /*closed=*/false, "curve");
  svg.Mark(Shape::kCircle, points[points.size() - 2], points.back(), 3, "candidate");
  return svg.Inline("Values", Counted(entries.size(), "entry", "entries"));
}

}  // namespace benchd::client
