#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/site/site.h"

namespace benchd::client {

// Functions that render the parts of a site's pages that a report does not have: links, and tables
// whose cells are markup. Pure.

/// Renders a link. Both the address and the text are escaped.
std::string Link(std::string_view address, std::string_view text);
/// Renders the name of an entry: that of its commit, with a link to it if its address is known.
std::string EntryLink(const SiteOptions& options, const GateSummary& entry);
/// Renders text in a class of the style sheet; plain text if `style` is empty.
std::string Styled(std::string_view style, std::string_view text);
/// Renders the newest step of a series: its size, its commit and its date. "none" without one.
std::string StepMarkup(const SiteOptions& options, const HistorySeries& series);

/// A table of a site. On a narrow screen, each row of kCards becomes a card whose cells are
/// preceded by their headings; a table of kScrolls keeps its columns and can be scrolled.
struct SiteTable {
  enum class Narrow { kCards, kScrolls };
  std::string name;                            ///< for screen readers
  std::vector<std::string> heading;            ///< text
  std::vector<std::vector<std::string>> rows;  ///< markup; the first cell names the row
  Narrow narrow = Narrow::kScrolls;
};
std::string RenderTable(const SiteTable& table);

/// Renders a page of the site: HtmlPage() with the style of a site and a link to its feed.
///
/// @param root  the relative address of the site's folder: "" or "../"
std::string SitePage(std::string_view title, std::string_view root, std::string_view html);

}  // namespace benchd::client
