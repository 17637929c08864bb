#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/present/text.h"
#include "client/report/pictures.h"

namespace benchd::client {

// What a page is made of. Texts are escaped here, markup is passed as `html`.

/// The page around its body: head, style sheet, a policy that forbids scripts and the network.
std::string HtmlPage(std::string_view title, std::string_view html);

/// `<h2>text</h2>` of that level.
std::string Heading(int level, std::string_view text);
std::string Paragraph(std::string_view text, std::string_view style = {});
/// Names and what they are; a third cell of any text says that it is typed like that.
std::string Definitions(const Rows& rows);
/// `text` as it is typed.
std::string CodeBlock(std::string_view text);
std::string BulletList(const std::vector<std::string>& texts);

/// A table with a heading row and, in each row, a first cell that names it; numbers stand to the
/// right. Wider than the page it can be scrolled, by keyboard too.
std::string HtmlTable(const Rows& rows, std::string_view name);

/// A picture with its name above and its note and table below.
std::string Figure(const Picture& picture);
/// Figures and words, each markup of its own, abreast as the width allows; empty ones are left out.
std::string Figures(const std::vector<std::string>& parts);

}  // namespace benchd::client
