#include "client/report/svg.h"

#include <gtest/gtest.h>

#include <limits>

#include "client/report/plot.h"

namespace benchd::client {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

TEST(SvgTest, WhateverANameSaysIsText) {
  EXPECT_EQ(EscapeMarkup("<script>alert('a' & \"b\")</script>"),
            "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;");
  EXPECT_EQ(EscapeMarkup("a\nb\tc\x01"), "a b c ") << "one line, and nothing XML cannot have";
  EXPECT_EQ(EscapeMarkup("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(EscapeMarkup("\xFF|\xEF\xBF\xBF"), "\xEF\xBF\xBD|\xEF\xBF\xBD");
}

TEST(SvgTest, TicksAreRoundAndInside) {
  EXPECT_EQ(AxisScale(0, 10, 0, 100).Ticks(5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(AxisScale(-0.013, 0.021, 0, 1).Ticks(4), (std::vector<double>{-0.01, 0, 0.01, 0.02}));
  EXPECT_EQ(AxisScale(8, 120, 0, 1, true).Ticks(5), (std::vector<double>{10, 20, 50, 100}));
  EXPECT_EQ(AxisScale(1, 1e6, 0, 1, true).Ticks(5),
            (std::vector<double>{1, 10, 100, 1000, 10000, 100000, 1000000}));
}

TEST(SvgTest, TicksEndWhateverTheRange) {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {-kLargest, kLargest}, {1e308, 1.0000001e308}, {5e-324, 1e-323}, {1, 1 + 1e-15}}) {
    EXPECT_LE(AxisScale(low, high, 0, 1).Ticks(5).size(), 13U) << low;
  }
}

TEST(SvgTest, ALogarithmicScaleMaySpanAllNumbers) {
  const AxisScale scale(1e-300, 1e300, 0, 100, true);
  EXPECT_NEAR(scale(1), 50, 1e-9);
  const std::vector<double> ticks = scale.Ticks(5);
  ASSERT_GT(ticks.size(), 1U);
  EXPECT_GT(scale(ticks[1]), scale(ticks[0]));
}

TEST(SvgTest, OneValueIsInTheMiddle) {
  const AxisScale scale(3, 3, 0, 100);
  EXPECT_DOUBLE_EQ(scale(3), 50);
  EXPECT_DOUBLE_EQ(AxisScale(0, 0, 0, 100)(0), 50);
}

TEST(SvgTest, WhatIsNoNumberIsDrawnNowhere) {
  Svg svg("a", 100, 100);
  svg.Line(0, kNan, 1, 1, "axis");
  svg.Rect(0, 0, -1, 1, "bar");
  svg.Mark(Shape::kDiamond, kInfinite, 0, 1, "run");
  svg.Curve({0, kNan, kInfinite, 1}, false, "curve");
  const std::string drawn = svg.Inline("name", "about");
  EXPECT_EQ(drawn.find("class=\"axis\""), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find("nan"), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find("inf"), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find("<path"), std::string::npos) << drawn;
}

TEST(SvgTest, AFileIsWholeAndAnInlinePictureHasThePagesStyle) {
  Svg svg("p", 100, 50);
  svg.Text(1, 2, "a < b", "small");
  const std::string file = svg.File("A & B", "about");
  EXPECT_NE(file.find("xmlns=\"http://www.w3.org/2000/svg\""), std::string::npos);
  EXPECT_NE(file.find("<title id=\"p-name\">A &amp; B</title>"), std::string::npos) << file;
  EXPECT_NE(file.find("prefers-color-scheme:dark"), std::string::npos);
  const std::string part = svg.Inline("A & B", "about");
  EXPECT_EQ(part.find("<style"), std::string::npos);
  EXPECT_NE(part.find("role=\"img\" aria-labelledby=\"p-name p-about\""), std::string::npos);
}

TEST(SvgTest, ALongNameIsCutAndWholeInItsTitle) {
  Svg svg("p", 100, 50);
  svg.ShortText(0, 0, 60, "a very long name of an arm", "strong");
  const std::string drawn = svg.Inline("", "");
  EXPECT_NE(drawn.find("…<title>a very long name of an arm</title>"), std::string::npos) << drawn;
}

TEST(PlotTest, LabelsTellTheTicksApart) {
  EXPECT_EQ(AxisLabel(0.021, 0.001, {true, ""}), "+2.1 %");
  EXPECT_EQ(AxisLabel(-0.05, 0.05, {true, ""}), "-5 %");
  EXPECT_EQ(AxisLabel(0, 0.05, {true, ""}), "0 %");
  EXPECT_EQ(AxisLabel(0.0105, 0.0005, {false, "s"}), "10.5 ms");
}

}  // namespace
}  // namespace benchd::client
