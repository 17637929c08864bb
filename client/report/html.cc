#include "client/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "client/report/svg.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr std::string_view kPageStyle = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
main{max-width:1240px;margin:0 auto;padding:40px 20px 72px}
article:not(:first-child){margin-top:72px;padding-top:40px;border-top:1px solid var(--rule)}
section{margin-top:48px}
h1,h2,h3{line-height:1.25;margin:0 0 12px;font-weight:600;overflow-wrap:anywhere}
h1{font-size:32px;letter-spacing:-.01em}
h2{font-size:20px}
h3{font-size:16px}
article h2.verdict{font-size:26px}
p{margin:0 0 12px;max-width:70ch;overflow-wrap:anywhere}
ul{margin:0 0 12px;padding-left:20px;max-width:75ch}
li{margin:0 0 8px;overflow-wrap:anywhere}
a{color:var(--candidate)}
.over{color:var(--quiet);font-size:13px;margin-bottom:6px}
.lede{font-size:18px;line-height:1.45}
.quiet{color:var(--quiet);font-size:13px}
.pass{color:var(--pass)}
.regression,.failed{color:var(--regression)}
.undecided{color:var(--undecided)}
.two{display:grid;gap:8px 64px;align-items:start}
.facts{margin:8px 0 0}
.facts dl{grid-template-columns:fit-content(45%) minmax(0,1fr);gap:4px 24px}
.facts code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:32px 48px;align-items:start}
.figures>*:only-child{max-width:640px}
.figures+.figures{margin-top:32px}
.even{grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr))}
figure{margin:0;min-width:0;break-inside:avoid}
figcaption{font-weight:600;font-size:14px;margin-bottom:10px;overflow-wrap:anywhere}
figure>.quiet{margin:8px 0 0}
.picture{display:block;width:100%;max-width:560px;height:auto;overflow:visible}
.flames .picture{max-width:none}
.flames figure{margin:0 0 32px}
details{margin-top:8px;font-size:13px}
summary{color:var(--quiet);cursor:pointer;width:max-content;max-width:100%}
summary:focus-visible,.scroll:focus-visible,a:focus-visible{outline:2px solid var(--candidate);outline-offset:2px}
.scroll{overflow-x:auto;margin:0 0 12px}
details .scroll{max-height:320px;overflow:auto;margin-top:8px}
table{border-collapse:collapse;font-size:13px;line-height:1.4}
th,td{text-align:left;font-weight:400;padding:5px 20px 5px 0;border-bottom:1px solid var(--rule);vertical-align:baseline;white-space:nowrap}
thead th{color:var(--quiet);border-bottom-color:var(--quiet)}
tbody th{font-weight:600}
tbody th{white-space:normal;overflow-wrap:anywhere;min-width:12ch}
td:last-child:not(.number){white-space:normal;overflow-wrap:anywhere;min-width:12ch}
.number{text-align:right}
dl{display:grid;grid-template-columns:fit-content(45%) minmax(0,1fr);gap:4px 24px;margin:0 0 12px;font-size:14px}
dt{color:var(--quiet);overflow-wrap:anywhere;min-width:0}
dd{margin:0;overflow-wrap:anywhere;min-width:0}
pre{margin:0 0 12px;padding:12px 14px;background:var(--raised);border:1px solid var(--rule);border-radius:6px;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
@media (min-width:960px){.two{grid-template-columns:minmax(0,3fr) minmax(0,2fr)}}
@media (max-width:520px){th,td{padding-right:14px}main{padding:24px 16px 48px}h1{font-size:26px}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}}
@media print{main{max-width:none;padding:0}section{margin-top:28px}.figures{grid-template-columns:1fr 1fr;gap:20px 28px}.figures>*:last-child:nth-child(odd){grid-column:1/-1}details{display:none}pre,tr{break-inside:avoid}h2,h3{break-after:avoid}.scroll{overflow:visible}th,td{white-space:normal}}
)";

std::string Tagged(std::string_view tag, std::string_view style, std::string_view text) {
  std::string html = "<" + std::string(tag);
  if (!style.empty()) html += " class=\"" + std::string(style) + "\"";
  return html + ">" + EscapeMarkup(text) + "</" + std::string(tag) + ">";
}

bool IsNumber(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of("+-~");
  return first != std::string_view::npos && cell[first] >= '0' && cell[first] <= '9';
}

// Returns which columns after the first contain only numbers.
std::vector<bool> NumberColumns(const Rows& rows) {
  std::vector<bool> numbers(rows.front().size(), true);
  numbers.front() = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t column = 1; column < numbers.size(); ++column) {
      const std::string& cell = rows[i][column];
      if (!cell.empty() && cell != "-" && !IsNumber(cell)) numbers[column] = false;
    }
  }
  return numbers;
}

std::string TableRow(const std::vector<std::string>& cells, bool heading,
                     const std::vector<bool>& numbers) {
  std::string html = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool names = heading || i == 0;
    html += names ? std::string("<th scope=") + (heading ? "\"col\"" : "\"row\"") : "<td";
    html += numbers[i] ? " class=\"number\">" : ">";
    html += EscapeMarkup(cells[i]) + (names ? "</th>" : "</td>");
  }
  return html + "</tr>\n";
}

// Returns how many of so many figures, the first ones, stand in rows of three. The others stand in
// rows of two, so that no figure is alone in the last row.
std::size_t InRowsOfThree(std::size_t count) {
  if (count < 2 || count % 3 == 0) return count;
  return count % 3 == 2 ? count - 2 : count - 4;
}

std::string FigureRows(std::string_view style, std::span<const std::string_view> parts) {
  if (parts.empty()) return "";
  return "<div class=\"" + std::string(style) + "\">\n" + Join(parts, "") + "</div>\n";
}

}  // namespace

std::string HtmlPage(std::string_view title, std::string_view html, std::string_view head) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'\">\n<title>" +
         EscapeMarkup(title) + "</title>\n<style>" + std::string(PictureStyle()) +
         std::string(kPageStyle) + "</style>\n" + std::string(head) + "</head>\n<body>\n<main>\n" +
         std::string(html) + "</main>\n</body>\n</html>\n";
}

std::string Heading(int level, std::string_view text) {
  return Tagged(fmt::format("h{}", level), "", text) + "\n";
}

std::string Paragraph(std::string_view text, std::string_view style) {
  return text.empty() ? "" : Tagged("p", style, text) + "\n";
}

std::string Definitions(const Rows& rows) {
  std::string html;
  for (const std::vector<std::string>& row : rows) {
    const std::string text =
        row.size() > 2 ? "<dd>" + Tagged("code", "", row[1]) + "</dd>" : Tagged("dd", "", row[1]);
    html += Tagged("dt", "", row[0]) + text + "\n";
  }
  return html.empty() ? "" : "<dl>\n" + html + "</dl>\n";
}

std::string CodeBlock(std::string_view text) {
  return "<pre>" + Tagged("code", "", text) + "</pre>\n";
}

std::string BulletList(const std::vector<std::string>& texts) {
  std::string html;
  for (const std::string& text : texts) html += Tagged("li", "", text) + "\n";
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

std::string HtmlTable(const Rows& rows, std::string_view name) {
  if (rows.size() < 2) return "";
  const std::vector<bool> numbers = NumberColumns(rows);
  std::string html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     EscapeMarkup(name) + "\"><table>\n<thead>" +
                     TableRow(rows.front(), /*heading=*/true, numbers) + "</thead>\n<tbody>\n";
  for (std::size_t i = 1; i < rows.size(); ++i)
    html += TableRow(rows[i], /*heading=*/false, numbers);
  return html + "</tbody>\n</table></div>\n";
}

std::string Figure(const Picture& picture) {
  std::string html = "<figure>\n" + Tagged("figcaption", "", picture.name) + "\n" +
                     picture.Inline() + Paragraph(picture.note, "quiet");
  if (picture.table.size() > 1) {
    html += "<details><summary>Table</summary>\n" + HtmlTable(picture.table, picture.name) +
            "</details>\n";
  }
  return html + "</figure>\n";
}

std::string Figures(const std::vector<std::string>& parts) {
  std::vector<std::string_view> shown;
  std::ranges::copy_if(parts, std::back_inserter(shown),
                       [](const std::string& part) { return !part.empty(); });
  const std::size_t threes = InRowsOfThree(shown.size());
  return FigureRows("figures", std::span(shown).first(threes)) +
         FigureRows("figures even", std::span(shown).subspan(threes));
}

}  // namespace benchd::client
