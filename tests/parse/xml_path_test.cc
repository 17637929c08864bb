#include "core/parse/xml_path.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/parse/xml_document.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::string_view kReport =
    R"(<suite name="s"><case name="a" t="1.5"><name>of a child</name><size> 12 </size></case>
<case name="b" t=""><p>x</p><p>y</p></case><case t="&#xD800;"/></suite>)";

class XmlPathTest : public testing::Test {
 protected:
  pugi::xpath_node Case(int number) const {
    const auto cases = XmlPath::Parse("//case")->NodesAt(document_.root());
    return cases[static_cast<std::size_t>(number)];
  }
  std::optional<std::string> At(int number, const std::string& reference) const {
    const auto made = XmlReference::Parse(reference);
    EXPECT_TRUE(made) << made.error().message;
    return made ? made->TextAt(Case(number)) : std::nullopt;
  }

  XmlDocument document_ = *XmlDocument::Parse(kReport, "");
};

TEST_F(XmlPathTest, KnowsWhatAnExpressionLeadsTo) {
  const auto nodes = XmlPath::Parse("//case/@t | //name");
  ASSERT_TRUE(nodes) << nodes.error().message;
  EXPECT_TRUE(nodes->LeadsToNodes());
  std::string texts;
  for (const auto& node : nodes->NodesAt(document_.root())) texts += TextOfXml(node) + ";";
  EXPECT_EQ(texts.substr(0, 17), "1.5;of a child;;\xED") << "in the order of the document";
  const auto number = XmlPath::Parse("count(//p) div 4");
  EXPECT_FALSE(number->LeadsToNodes());
  EXPECT_FALSE(number->IsCondition());
  EXPECT_EQ(number->TextAt(document_.root()), "0.5");
  const auto condition = XmlPath::Parse("not(p)");
  EXPECT_TRUE(condition->IsCondition());
  EXPECT_TRUE(condition->HoldsAt(Case(0)));
  EXPECT_FALSE(condition->HoldsAt(Case(1)));
  EXPECT_TRUE(XmlPath::Parse("p")->HoldsAt(Case(1))) << "nodes exist";
  EXPECT_FALSE(XmlPath::Parse("p")->HoldsAt(Case(0)));
}

TEST_F(XmlPathTest, AReferenceIsAnAttributeOrAChildOrAnExpression) {
  EXPECT_EQ(At(0, "name"), "a") << "the attribute";
  EXPECT_EQ(At(0, "size"), "12") << "the child, without blanks";
  EXPECT_EQ(At(0, "nosuch"), std::nullopt);
  EXPECT_EQ(At(1, "t"), "");
  EXPECT_EQ(At(0, "../@name"), "s");
  EXPECT_EQ(At(0, "../nosuch"), std::nullopt);
  EXPECT_EQ(At(1, "p"), "x") << "the first child";
  EXPECT_EQ(At(1, "./p"), "x/y") << "all of them";
  EXPECT_EQ(At(0, "ancestor-or-self::*/@name"), "s/a");
  EXPECT_EQ(At(1, "count(p)"), "2");
  EXPECT_EQ(At(1, "name()"), "case");
  EXPECT_EQ(At(2, "t"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "always UTF-8";
}

TEST_F(XmlPathTest, AnAttributeHasNoAttributes) {
  const auto attribute = XmlPath::Parse("//case/@name")->NodesAt(document_.root())[0];
  EXPECT_EQ(XmlReference::Parse("name")->TextAt(attribute), std::nullopt);
  EXPECT_EQ(XmlReference::Parse(".")->TextAt(attribute), "a");
}

TEST(XmlPathErrorTest, SaysWhatIsWrong) {
  for (const std::string& text :
       {std::string(), std::string("//a["), std::string("a b"), std::string("$x"),
        std::string("nosuch(1)"), std::string("document('/etc/passwd')"), std::string("count(1)"),
        std::string("a\0b", 3), std::string("a:*:b"), "a" + std::string(kMaxXPathBytes, 'a')}) {
    const auto path = XmlPath::Parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(path.error().hint.empty());
    EXPECT_WORDING(RefusalOf(text, path.error()));
  }
  EXPECT_FALSE(XmlReference::Parse("a["));
}

// pugixml recurses in proportion to the length of an expression.
TEST(XmlPathErrorTest, TheLongestExpressionsOverflowNoStack) {
  const auto document = XmlDocument::Parse("<a/>", "");
  ASSERT_TRUE(document);
  const auto repeated = [](const std::string& text, std::size_t size) {
    std::string all;
    while (all.size() + text.size() <= size) all += text;
    return all;
  };
  for (const std::string& text :
       {repeated("(", kMaxXPathBytes / 2 - 1) + "1" + repeated(")", kMaxXPathBytes / 2 - 1),
        repeated("-", kMaxXPathBytes - 1) + "1", "/a" + repeated("[1]", kMaxXPathBytes - 2),
        "/a" + repeated("[a", kMaxXPathBytes / 2) + repeated("]", kMaxXPathBytes / 4),
        repeated("a|", kMaxXPathBytes - 1) + "a", repeated("a/", kMaxXPathBytes - 1) + "a"}) {
    ASSERT_LE(text.size(), kMaxXPathBytes);
    if (const auto path = XmlPath::Parse(text)) path->HoldsAt(document->root());
  }
}

}  // namespace
}  // namespace benchd
