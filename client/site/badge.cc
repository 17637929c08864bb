#include "client/site/badge.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/present/history.h"
#include "client/present/text.h"
#include "client/report/svg.h"

namespace benchd::client {
namespace {

constexpr int kMostColumns = 40;
constexpr double kPixelsPerColumn = 6.6;  // of Verdana at 11 pixels, on average
constexpr double kPadding = 6;

/// Returns a rank by which the worst verdict comes last.
int BadnessOf(Verdict verdict) {
  if (verdict == Verdict::kPass) return 0;
  return verdict == Verdict::kUndecided ? 1 : 2;
}

/// Returns the series whose newest verdict is the worst; of several, the one with the newest entry.
const HistorySeries& WorstOf(const SiteBenchmark& benchmark) {
  return *std::ranges::max_element(
      benchmark.series, [](const HistorySeries& a, const HistorySeries& b) {
        const int a_rank = BadnessOf(a.last().verdict);
        const int b_rank = BadnessOf(b.last().verdict);
        return a_rank != b_rank ? a_rank < b_rank : a.last().ended_at < b.last().ended_at;
      });
}

/// White text on each of these has a contrast of at least 4.5:1 (WCAG 2.1, AA).
std::string_view ColorOf(Verdict verdict) {
  if (verdict == Verdict::kPass) return "#176a35";
  return verdict == Verdict::kUndecided ? "#7d5400" : "#b3261e";
}

double WidthOf(const std::string& text) { return kPixelsPerColumn * Width(text); }

// The length of the text is given, so that it fits whatever font there is.
std::string TextAt(double x, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"14\" textLength=\"{:.1f}\">{}</text>\n", x,
                     WidthOf(text), EscapeMarkup(text));
}

}  // namespace

std::string RenderBadge(const SiteBenchmark& benchmark) {
  const GateSummary& last = WorstOf(benchmark).last();
  const std::string name = SiteText(benchmark.name, kMostColumns);
  const std::string verdict = EntryVerdict(last);
  const double left = WidthOf(name) + 2 * kPadding;
  const double right = WidthOf(verdict) + 2 * kPadding;
  const std::string title = EscapeMarkup(name + ": " + verdict);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.1f}\" height=\"20\" "
             "role=\"img\" aria-label=\"{1}\">\n<title>{1}</title>\n"
             "<clipPath id=\"r\"><rect width=\"{0:.1f}\" height=\"20\" rx=\"3\"/></clipPath>\n"
             "<g clip-path=\"url(#r)\">\n<rect width=\"{2:.1f}\" height=\"20\" fill=\"#444c56\"/>\n"
             "<rect x=\"{2:.1f}\" width=\"{3:.1f}\" height=\"20\" fill=\"{4}\"/>\n</g>\n"
             "<g fill=\"#fff\" font-family=\"Verdana,Geneva,DejaVu Sans,sans-serif\" "
             "font-size=\"11\">\n",
             left + right, title, left, right, ColorOf(last.verdict)) +
         TextAt(kPadding, name) + TextAt(left + kPadding, verdict) + "</g>\n</svg>\n";
}

}  // namespace benchd::client
