#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/present/text.h"
#include "client/report/pictures.h"

namespace benchd::client {

// Functions that render the parts of a page. They escape text; parameters named `html` are markup.

/// Renders a page around a body. Adds the head, the style sheet and a policy that forbids scripts
/// and network access.
///
/// @param head  further markup of the head, such as a style sheet or a link to a feed
std::string HtmlPage(std::string_view title, std::string_view html, std::string_view head = {});

/// Renders a heading: `<h2>text</h2>` for level 2.
std::string Heading(int level, std::string_view text);
std::string Paragraph(std::string_view text, std::string_view style = {});
/// Renders a list of names and values. If a row has a third cell, its value is shown as code.
std::string Definitions(const Rows& rows);
/// Renders `text` as a block of code.
std::string CodeBlock(std::string_view text);
std::string BulletList(const std::vector<std::string>& texts);

/// Renders a table with a heading row. The first cell of each row is its name. Numbers are
/// right-aligned. A table that is wider than the page can be scrolled, also with the keyboard.
std::string HtmlTable(const Rows& rows, std::string_view name);

/// Renders a picture with its name above it and its note and table below it.
std::string Figure(const Picture& picture);
/// Places figures and texts (markup) side by side as the width allows. Empty parts are left out.
std::string Figures(const std::vector<std::string>& parts);

}  // namespace benchd::client
