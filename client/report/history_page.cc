#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "client/present/history.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/report/html.h"
#include "client/report/metric_picture.h"
#include "client/report/page.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

constexpr Style kPlain;
constexpr std::size_t kMostSeries = 24;
/// The limit for all pictures together. The number of entries determines the size of a page.
constexpr std::size_t kMostEntries = 1500;

std::string TimeOf(const GateSummary& entry) {
  google::protobuf::Timestamp time;
  convert::ToProto(entry.ended_at, &time);
  time.set_nanos(0);
  return Rfc3339(time);
}

SeriesEntry EntryOf(const GateSummary& entry, const ColumnFormat& values) {
  return {{TimeOf(entry), EntryName(entry), entry.session.value,
           values.WithUnit(values.Format(*entry.mean_candidate)), EntryChange(entry, kPlain),
           EntryVerdict(entry)},
          *entry.mean_candidate,
          entry.verdict == Verdict::kRegression};
}

/// Adds the levels of a segment. `first` is the index of the segment's first entry in the series.
void AddLevels(const HistorySegment& segment, const GateSummary* before, std::size_t first,
               std::vector<SeriesLevel>* levels) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < segment.entries.size(); ++i) {
    const GateSummary& entry = segment.entries[i];
    const HistoryStep* const step = StepAt(segment, i);
    if (i == 0 || step != nullptr) {
      SeriesLevel& level = levels->emplace_back();
      level.begin = first + i;
      if (step != nullptr) {
        level.why = StepSentence(*step, entry.unit, kPlain);
        level.step = true;
      } else if (before != nullptr) {
        level.why = EdgeBetween(*before, entry, kPlain);
      }
      sum = 0;
      count = 0;
    }
    // A value of a machine that changed has no part in the mean.
    if (entry.control_changed) {
      if (count == 0) levels->back().mean = *entry.mean_candidate;
      continue;
    }
    sum += *entry.mean_candidate;
    levels->back().mean = sum / static_cast<double>(++count);
    levels->back().count = count;
  }
}

/// Keeps the newest entries and their levels.
void KeepNewest(std::size_t most, SeriesOfPicture* series) {
  const std::size_t all = series->entries.size();
  if (all <= most) return;
  const auto left_out = static_cast<std::ptrdiff_t>(all - most);
  series->entries.erase(series->entries.begin(), series->entries.begin() + left_out);
  for (SeriesLevel& level : series->levels) {
    level.begin -= std::min(level.begin, all - most);
  }
  // Of the levels that begin before the first kept entry, only the last one is still visible.
  while (series->levels.size() > 1 && series->levels[1].begin == 0) {
    series->levels.erase(series->levels.begin());
  }
  series->levels.front().why.clear();
  series->note += fmt::format(" Only the newest {} of {} are shown.", most, all);
}

SeriesOfPicture PictureOf(const HistorySeries& series, std::size_t most) {
  const GateSummary& last = series.last();
  const ColumnFormat values = ValuesOf(series, kPlain);
  SeriesOfPicture picture{
      OneLine(last.metric),
      "A dashed line marks a step, a permanent change of the values. A solid line marks "
      "a change of the kernel or the settings.",
      {"time", "candidate", "session", "value", "change", "verdict", "begins"},
      last.unit,
      {},
      {}};
  picture.levels = LevelsOf(series);
  for (const HistorySegment& segment : series.segments) {
    for (const GateSummary& entry : segment.entries) {
      picture.entries.push_back(EntryOf(entry, values));
    }
  }
  KeepNewest(most, &picture);
  return picture;
}

// Lists the permanent changes of the values and the changes of the machine, newest first.
std::string Changes(const SeriesOfPicture& picture) {
  std::vector<std::string> changes;
  for (auto level = picture.levels.rbegin(); level != picture.levels.rend(); ++level) {
    if (level->why.empty()) continue;
    const std::vector<std::string>& cells = picture.entries[level->begin].cells;
    changes.push_back(cells[0] + ", " + cells[1] + ": " + level->why);
  }
  return changes.empty() ? Paragraph("No step.") : BulletList(changes);
}

std::string Section(const HistorySeries& series, std::size_t number, std::size_t most) {
  const GateSummary& last = series.last();
  const SeriesOfPicture picture = PictureOf(series, most);
  const std::string verdict(NameOf(last.verdict));
  return "<section>\n" + Heading(2, OneLine(SeriesTitle(series) + ", " + last.metric)) +
         Paragraph(OneLine(last.machine), "quiet") +
         Figures({Figure(DrawSeries(fmt::format("series{}", number), picture)),
                  "<div>\n" +
                      Paragraph("Newest: " + Join(picture.entries.back().cells, ", "), verdict) +
                      Changes(picture) + "</div>\n"}) +
         "</section>\n";
}

}  // namespace

std::vector<SeriesLevel> LevelsOf(const HistorySeries& series) {
  std::vector<SeriesLevel> levels;
  const GateSummary* before = nullptr;
  std::size_t first = 0;
  for (const HistorySegment& segment : series.segments) {
    AddLevels(segment, before, first, &levels);
    first += segment.entries.size();
    before = &segment.entries.back();
  }
  return levels;
}

std::string RenderHistoryPage(std::span<const HistorySeries> history, std::string_view benchmark,
                              const ChangePointSearch& search) {
  const std::size_t shown = std::min(history.size(), kMostSeries);
  const std::string title =
      benchmark.empty() ? Counted(history.size(), "series", "series") : OneLine(benchmark);
  std::string html = "<header>\n" + Paragraph("History", "over") + Heading(1, title) +
                     Paragraph(SearchSentence(search), "quiet") + "</header>\n";
  for (std::size_t i = 0; i < shown; ++i) html += Section(history[i], i, kMostEntries / shown);
  if (shown < history.size()) {
    html += Paragraph(fmt::format("Of {} series, this page shows the {} with the newest entries.",
                                  history.size(), shown),
                      "quiet");
  }
  return HtmlPage("History of " + title + " - benchd", html);
}

std::string RenderHistoryPicture(const HistorySeries& series) {
  return PictureFile({DrawSeries("series", PictureOf(series, kMostEntries))},
                     OneLine(SeriesTitle(series) + ", " + series.last().metric));
}

}  // namespace benchd::client
