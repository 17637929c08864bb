#include "client/site/index_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "client/present/history.h"
#include "client/present/units.h"
#include "client/report/html.h"
#include "client/report/svg.h"
#include "client/site/markup.h"
#include "client/site/site_paths.h"
#include "client/site/trend.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr Style kPlain;
constexpr std::size_t kMostRows = 3000;
constexpr std::size_t kMostNews = 8;

/// A series and the benchmark that it belongs to.
using Listed = std::pair<const SiteBenchmark*, const HistorySeries*>;

std::string AddressOf(const Listed& listed) {
  return PagePath(listed.first->stem) + "#" + AnchorOf(*listed.second);
}

std::vector<std::string> RowOf(const SiteOptions& options, const Listed& listed,
                               std::size_t number) {
  const HistorySeries& series = *listed.second;
  const GateSummary& last = series.last();
  std::string verdict = "<span>" + Styled(VerdictClass(last), EntryVerdict(last));
  if (const std::string change = EntryChange(last, kPlain); !change.empty()) {
    verdict += " <small>" + EscapeMarkup(change) + "</small>";
  }
  return {Link(AddressOf(listed), SiteText(listed.first->name)) + " <small>" +
              EscapeMarkup(MeasureOf(series)) + "</small>",
          DrawSparkline(fmt::format("t{}", number), series),
          EscapeMarkup(FormatQuantity(*last.mean_candidate, last.unit, kPlain)),
          verdict + "</span>",
          StepMarkup(options, series),
          "<span>" + EntryLink(options, last) + " <small>" +
              EscapeMarkup(UtcMinute(last.ended_at)) + "</small></span>"};
}

/// Counts the newest verdicts: "3 regressions, 1 undecided, 496 passed".
std::string Verdicts(const Site& site) {
  std::array<std::uint64_t, 3> counts{};
  for (const SiteBenchmark& benchmark : site.benchmarks) {
    for (const HistorySeries& series : benchmark.series) {
      ++counts.at(static_cast<std::size_t>(series.last().verdict));
    }
  }
  const auto count = [&counts](Verdict verdict) {
    return counts.at(static_cast<std::size_t>(verdict));
  };
  return fmt::format("Newest verdicts: {}, {} undecided, {} passed.",
                     Counted(count(Verdict::kRegression), "regression"), count(Verdict::kUndecided),
                     count(Verdict::kPass));
}

std::string NewsList(const Site& site) {
  const std::vector<News> newest = NewestOf(site, kMostNews);
  if (newest.empty()) return Paragraph("No regression and no step.");
  std::string html = "<ul class=\"news\">\n";
  for (const News& one : newest) {
    const std::string_view style =
        one.step == nullptr ? "regression" : StepClass(*one.step, *one.entry);
    html += "<li><time>" + EscapeMarkup(UtcMinute(one.entry->ended_at)) + "</time>" +
            Link(AddressOf({one.benchmark, one.series}), SiteText(one.benchmark->name)) + " " +
            EscapeMarkup(MeasureOf(*one.series)) + ": " + Styled(style, NewsSentence(one)) + ", " +
            EntryLink(site.options, *one.entry) + "</li>\n";
  }
  return html + "</ul>\n";
}

std::string MachineSection(const SiteOptions& options, const std::string& machine,
                           const std::vector<Listed>& listed, std::size_t first, std::size_t most) {
  SiteTable table{"Benchmarks on " + machine,
                  {"benchmark", "trend", "value", "verdict", "last step", "newest"},
                  {},
                  SiteTable::Narrow::kCards};
  for (std::size_t i = 0; i < std::min(listed.size(), most); ++i) {
    table.rows.push_back(RowOf(options, listed[i], first + i));
  }
  return "<section>\n" + Heading(2, machine) + RenderTable(table) + "</section>\n";
}

}  // namespace

std::string RenderIndexPage(const Site& site) {
  std::map<std::string, std::vector<Listed>> machines;
  std::size_t all = 0;
  for (const SiteBenchmark& benchmark : site.benchmarks) {
    for (const HistorySeries& series : benchmark.series) {
      machines[MachineOf(series)].emplace_back(&benchmark, &series);
      ++all;
    }
  }
  std::string html = "<header>\n" + Heading(1, "Benchmarks");
  if (all == 0) {
    return SitePage(
        "Benchmarks", "",
        html + Paragraph("No history yet: it begins with the first verdict.") + "</header>\n");
  }
  html += Paragraph(Counted(site.benchmarks.size(), "benchmark") + " with " +
                        Counted(all, "series", "series") + " on " +
                        Counted(machines.size(), "machine") + ". " + Verdicts(site),
                    "lede") +
          "</header>\n<section>\n" + Heading(2, "Newest regressions and steps") + NewsList(site) +
          "</section>\n";
  std::size_t shown = 0;
  for (const auto& [machine, listed] : machines) {
    if (shown == kMostRows) break;
    html += MachineSection(site.options, machine, listed, shown, kMostRows - shown);
    shown = std::min(shown + listed.size(), kMostRows);
  }
  if (shown < all) {
    html += Paragraph(fmt::format("This page lists {} of {} series. The others have pages, too: "
                                  "benchmark/NAME.html.",
                                  shown, all),
                      "quiet");
  }
  html += "<footer>\n" +
          Paragraph("Times are in UTC; " + SearchSentence(site.options.search), "quiet") +
          "<p class=\"quiet\">" + Link("feed.json", "Feed of regressions and steps") +
          "</p>\n</footer>\n";
  return SitePage("Benchmarks - benchd", "", html);
}

}  // namespace benchd::client
