#include "client/report/html.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace benchd::client {
namespace {

// Returns the numbers of figures in each group of rows: "3+2e" are a row of three and one of two.
std::string RowsOf(std::size_t count) {
  const std::string html = Figures(std::vector<std::string>(count, "<i></i>"));
  std::string rows;
  for (std::size_t at = html.find("<div"); at != std::string::npos;
       at = html.find("<div", at + 1)) {
    const std::string group = html.substr(at, html.find("</div>", at) - at);
    std::size_t figures = 0;
    for (std::size_t i = group.find("<i>"); i != std::string::npos; i = group.find("<i>", i + 1)) {
      ++figures;
    }
    rows += (rows.empty() ? "" : "+") + std::to_string(figures);
    if (group.find("\"figures even\"") != std::string::npos) rows += "e";
  }
  return rows;
}

TEST(HtmlTest, NoFigureIsAloneInTheLastRow) {
  EXPECT_EQ(RowsOf(0), "");
  EXPECT_EQ(RowsOf(1), "1");
  EXPECT_EQ(RowsOf(2), "2e");
  EXPECT_EQ(RowsOf(3), "3");
  EXPECT_EQ(RowsOf(4), "4e");
  EXPECT_EQ(RowsOf(5), "3+2e");
  EXPECT_EQ(RowsOf(6), "6");
  EXPECT_EQ(RowsOf(7), "3+4e");
}

TEST(HtmlTest, EmptyPartsTakeNoRoom) {
  EXPECT_EQ(Figures({"", "<i>", "", "<b>"}), "<div class=\"figures even\">\n<i><b></div>\n");
  EXPECT_EQ(Figures({"", ""}), "");
}

}  // namespace
}  // namespace benchd::client
