#include "client/site/benchmark_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "client/present/history.h"
#include "client/report/html.h"
#include "client/report/svg.h"
#include "client/site/markup.h"
#include "client/site/site_paths.h"
#include "client/site/trend.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr Style kPlain;
constexpr std::size_t kMostSeries = 40;
constexpr std::size_t kMostChanges = 20;

/// How much of a series a page shows. Several series share the room of a page.
struct Limits {
  std::size_t marks;
  std::size_t rows;

  explicit Limits(std::size_t series)
      : marks(std::clamp<std::size_t>(480 / series, 40, 200)),
        rows(std::clamp<std::size_t>(240 / series, 20, 100)) {}
};

/// A permanent change of the values, or of the machine, and the entry that begins it.
struct Change {
  const GateSummary* entry;
  std::string words;
  std::string_view style;
};

/// Lists the changes of a series, oldest first.
std::vector<Change> ChangesOf(const HistorySeries& series) {
  std::vector<Change> changes;
  const GateSummary* before = nullptr;
  for (const HistorySegment& segment : series.segments) {
    if (before != nullptr) {
      const GateSummary& entry = segment.entries.front();
      changes.push_back({&entry, SiteText(EdgeBetween(*before, entry, kPlain), 200), ""});
    }
    for (const HistoryStep& step : segment.steps) {
      const GateSummary& entry = segment.entries[step.point.index];
      changes.push_back({&entry, StepSentence(step, entry.unit, kPlain), StepClass(step, entry)});
    }
    before = &segment.entries.back();
  }
  return changes;
}

std::string ChangeList(const std::vector<Change>& changes, const SiteOptions& options) {
  if (changes.empty()) return Paragraph("No step.");
  const std::size_t shown = std::min(changes.size(), kMostChanges);
  std::string html = "<ul class=\"news\">\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const Change& change = changes[changes.size() - 1 - i];
    html += "<li><time>" + EscapeMarkup(UtcMinute(change.entry->ended_at)) + "</time>" +
            EntryLink(options, *change.entry) + ": " + Styled(change.style, change.words) +
            "</li>\n";
  }
  html += "</ul>\n";
  if (shown == changes.size()) return html;
  return html + Paragraph(fmt::format("The {} older changes are left out.", changes.size() - shown),
                          "quiet");
}

std::string NewestEntry(const GateSummary& entry, const ColumnFormat& values,
                        const SiteOptions& options) {
  std::string html = "<p>Newest: " + Styled(VerdictClass(entry), EntryVerdict(entry)) + ", " +
                     EscapeMarkup(values.WithUnit(values.Format(*entry.mean_candidate)));
  if (const std::string change = EntryChange(entry, kPlain); !change.empty()) {
    html += ", " + EscapeMarkup(change);
  }
  return html + ", " + EntryLink(options, entry) + ", " + EscapeMarkup(UtcMinute(entry.ended_at)) +
         "</p>\n";
}

/// Renders the newest entries, newest first, with what changed at each.
std::string EntryTable(const HistorySeries& series, const std::vector<Change>& changes,
                       const SiteOptions& options, std::size_t most) {
  const ColumnFormat values = ValuesOf(series, kPlain);
  SiteTable table{"Entries of " + MeasureOf(series) + " on " + MachineOf(series),
                  {"time", "candidate", "value", "change", "verdict", "session", "begins"},
                  {}};
  auto change = changes.rbegin();
  for (auto segment = series.segments.rbegin(); segment != series.segments.rend(); ++segment) {
    for (auto entry = segment->entries.rbegin(); entry != segment->entries.rend(); ++entry) {
      if (table.rows.size() == most) break;
      std::string begins;
      for (; change != changes.rend() && change->entry == &*entry; ++change) {
        begins += (begins.empty() ? "" : "; ") + Styled(change->style, change->words);
      }
      table.rows.push_back({EscapeMarkup(UtcMinute(entry->ended_at)), EntryLink(options, *entry),
                            EscapeMarkup(values.WithUnit(values.Format(*entry->mean_candidate))),
                            EscapeMarkup(EntryChange(*entry, kPlain)),
                            Styled(VerdictClass(*entry), EntryVerdict(*entry)),
                            EscapeMarkup(SiteText(entry->session.value, 40)), begins});
    }
  }
  std::string html = RenderTable(table);
  if (series.size() <= most) return html;
  return html + Paragraph(fmt::format("The table has the newest {} of {} entries. benchctl history "
                                      "shows the others.",
                                      most, series.size()),
                          "quiet");
}

std::string SeriesSection(const HistorySeries& series, const SiteOptions& options,
                          const Limits& limits) {
  const GateSummary& last = series.last();
  const ColumnFormat values = ValuesOf(series, kPlain);
  const std::vector<Change> changes = ChangesOf(series);
  const std::string anchor = AnchorOf(series);
  const Picture picture = DrawTrend(anchor + "-p", series, limits.marks);
  const std::string figure = "<figure>\n<figcaption>Values</figcaption>\n" + picture.Inline() +
                             Paragraph(picture.note, "quiet") + "</figure>\n";
  return "<section id=\"" + anchor + "\">\n" + Heading(2, MeasureOf(series)) +
         Paragraph(
             "On " + MachineOf(series) + ", " + Counted(series.size(), "entry", "entries") + ".",
             "quiet") +
         Figures({figure, "<div>\n" + NewestEntry(last, values, options) + Heading(3, "Changes") +
                              ChangeList(changes, options) + "</div>\n"}) +
         Heading(3, "Entries") + EntryTable(series, changes, options, limits.rows) + "</section>\n";
}

/// Renders links to the series of a page with several.
std::string Contents(std::span<const HistorySeries> all) {
  if (all.size() < 2) return "";
  std::string html = "<ul>\n";
  for (const HistorySeries& series : all) {
    const GateSummary& last = series.last();
    html += "<li>" + Link("#" + AnchorOf(series), MeasureOf(series)) + " on " +
            EscapeMarkup(MachineOf(series)) + ": " +
            Styled(VerdictClass(last), EntryVerdict(last)) + "</li>\n";
  }
  return html + "</ul>\n";
}

}  // namespace

std::string RenderBenchmarkPage(const SiteBenchmark& benchmark, const SiteOptions& options) {
  const std::size_t shown = std::min(benchmark.series.size(), kMostSeries);
  const std::span<const HistorySeries> series = std::span(benchmark.series).first(shown);
  std::string html = "<header>\n<p class=\"over\">" + Link("../index.html", "Benchmarks") +
                     "</p>\n" + Heading(1, benchmark.name) + Contents(series) + "</header>\n";
  const Limits limits(shown);
  for (const HistorySeries& one : series) html += SeriesSection(one, options, limits);
  if (shown < benchmark.series.size()) {
    html += Paragraph(
        fmt::format("This page shows {} of {} series.", shown, benchmark.series.size()), "quiet");
  }
  html += "<footer>\n" +
          Paragraph(
              "A dashed line marks a step, a permanent change of the values. A solid line "
              "marks a change of the kernel or the settings. Times are in UTC; " +
                  SearchSentence(options.search),
              "quiet") +
          "<p class=\"quiet\">" +
          Link("../" + BadgePath(benchmark.stem), "Badge of the newest verdict") +
          "</p>\n</footer>\n";
  return SitePage(benchmark.name + " - benchd", "../", html);
}

}  // namespace benchd::client
