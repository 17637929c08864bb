#include "client/site/markup.h"

#include "client/present/history.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/report/html.h"
#include "client/report/svg.h"

namespace benchd::client {
namespace {

// A table of cards has explicit roles, because browsers drop those of a table that is a grid.
constexpr std::string_view kSiteStyle = R"(
.cards table{width:100%}
.cards .picture{width:140px;height:32px}
.cards td{white-space:normal}
.cards td:nth-child(2){padding-top:0;padding-bottom:0;vertical-align:middle}
.cards th small,.cards td small{color:var(--quiet);font-size:12px;font-weight:400}
.cards th small{display:block}
.news{list-style:none;padding:0}
.news time{color:var(--quiet);margin-right:8px}
footer{margin-top:48px;padding-top:16px;border-top:1px solid var(--rule)}
@media screen and (max-width:760px){
.cards table,.cards tbody{display:block}
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards tr{display:grid;grid-template-columns:minmax(0,1fr) 140px;gap:2px 12px;padding:14px 0;border-bottom:1px solid var(--rule)}
.cards th,.cards td{border:0;padding:0;min-width:0;overflow-wrap:anywhere}
.cards td:nth-child(n+3){grid-column:1/-1;display:grid;grid-template-columns:9ch minmax(0,1fr);gap:0 12px}
.cards td:nth-child(n+3)::before{content:attr(data-name);color:var(--quiet)}
.cards td.number{text-align:left}
}
@media print{.cards .picture{width:100px}}
)";

}  // namespace

std::string Link(std::string_view address, std::string_view text) {
  return "<a href=\"" + EscapeMarkup(address) + "\">" + EscapeMarkup(text) + "</a>";
}

std::string EntryLink(const SiteOptions& options, const GateSummary& entry) {
  const std::string name = SiteText(EntryName(entry), 40);
  const auto address = CommitAddress(options, entry);
  return address ? Link(*address, name) : EscapeMarkup(name);
}

std::string Styled(std::string_view style, std::string_view text) {
  if (style.empty()) return EscapeMarkup(text);
  return "<span class=\"" + std::string(style) + "\">" + EscapeMarkup(text) + "</span>";
}

std::string StepMarkup(const SiteOptions& options, const HistorySeries& series) {
  const NewestStep newest = NewestStepOf(series);
  if (newest.step == nullptr) return "none";
  const std::optional<double> change = ChangeOf(*newest.step);
  return "<span>" +
         Styled(StepClass(*newest.step, *newest.entry),
                change ? FormatChange(*change, 1) : std::string("from 0")) +
         " at " + EntryLink(options, *newest.entry) + " <small>" +
         EscapeMarkup(UtcMinute(newest.entry->ended_at)) + "</small></span>";
}

std::string RenderTable(const SiteTable& table) {
  const bool cards = table.narrow == SiteTable::Narrow::kCards;
  const auto role = [cards](std::string_view name) {
    return cards ? " role=\"" + std::string(name) + "\"" : std::string();
  };
  std::string html = std::string("<div class=\"scroll") + (cards ? " cards" : "") +
                     "\" tabindex=\"0\" role=\"region\" aria-label=\"" + EscapeMarkup(table.name) +
                     "\"><table" + role("table") + ">\n<thead><tr" + role("row") + ">";
  for (const std::string& name : table.heading) {
    html += "<th scope=\"col\"" + role("columnheader") + ">" + EscapeMarkup(name) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr" + role("row") + "><th scope=\"row\"" + role("rowheader") + ">" + row.front() +
            "</th>";
    for (std::size_t i = 1; i < row.size(); ++i) {
      const std::string name =
          cards ? " data-name=\"" + EscapeMarkup(table.heading[i]) + "\"" : std::string();
      html += "<td" + role("cell") + name + ">" + row[i] + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string SitePage(std::string_view title, std::string_view root, std::string_view html) {
  const std::string head =
      "<link rel=\"alternate\" type=\"application/feed+json\" title=\"Regressions and steps\" "
      "href=\"" +
      std::string(root) + "feed.json\">\n<style>" + std::string(kSiteStyle) + "</style>\n";
  return HtmlPage(title, html, head);
}

}  // namespace benchd::client
