#include "core/parse/xml_document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/parse/xml_path.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// The only node to which an expression leads.
pugi::xpath_node NodeOf(const XmlDocument& document, const std::string& path) {
  const pugi::xpath_node_set nodes = XmlPath::Parse(path)->NodesAt(document.root());
  EXPECT_EQ(nodes.size(), 1U) << path;
  return nodes.empty() ? pugi::xpath_node() : nodes[0];
}

Error XmlError(std::string_view text) {
  const auto document = XmlDocument::Parse(text, "use XML");
  EXPECT_FALSE(document) << Shown(text);
  if (document) return {};
  EXPECT_EQ(document.error().hint, "use XML");
  EXPECT_EQ(document.error().message.find('\n'), std::string::npos);
  return document.error();
}

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(XmlDocumentTest, KnowsTheLineAndTheSourceOfEachNode) {
  const std::string text =
      "started\n\n <?xml version=\"1.0\"?>\n<a>\n  <b\n   t='1'/>\r\n  text<c/> <d/>\n</a>\n";
  const auto document = XmlDocument::Parse(text, "");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->LineOf(NodeOf(*document, "/a")), 4U);
  EXPECT_EQ(document->LineOf(NodeOf(*document, "//b")), 5U);
  EXPECT_EQ(document->LineOf(NodeOf(*document, "//b/@t")), 5U) << "of its element";
  EXPECT_EQ(document->LineOf(NodeOf(*document, "//d")), 7U);
  EXPECT_EQ(document->SourceOf(NodeOf(*document, "//c")), "<c/> <d/>");
  EXPECT_EQ(document->SourceOf(NodeOf(*document, "//b/@t")), "<b");
}

TEST(XmlDocumentTest, KnowsTheLinesOfALongText) {
  std::string text = "<a>\n";
  for (int i = 2; i < 5000; ++i) text += "<b l='" + std::to_string(i) + "'/>\n";
  text += "</a>";
  const auto document = XmlDocument::Parse(text, "");
  ASSERT_TRUE(document) << document.error().message;
  std::size_t nodes = 0;
  for (const pugi::xpath_node& node : XmlPath::Parse("//b")->NodesAt(document->root())) {
    ++nodes;
    ASSERT_EQ(std::to_string(document->LineOf(node)), node.node().attribute("l").value());
  }
  EXPECT_EQ(nodes, 4998U);
}

TEST(XmlDocumentTest, DocumentsInSuccessionAreOne) {
  const auto document = XmlDocument::Parse(
      "<?xml version='1.0'?>\n<a n='1'/>\n<?xml version='1.0'?>\n<a n='2'/>\n", "");
  ASSERT_TRUE(document) << document.error().message;
  const auto roots = XmlPath::Parse("/a")->NodesAt(document->root());
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_EQ(document->LineOf(roots[1]), 4U);
}

TEST(XmlDocumentTest, ReadsTextWithEntitiesOfXmlAndSectionsOfCdata) {
  const std::string text = "<a t='&lt;&#x41;&amp;'>1<!-- > -->2<![CDATA[<3>]]><?p > ?></a>";
  const auto document = XmlDocument::Parse(text, "");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(TextOfXml(NodeOf(*document, "/a/@t")), "<A&");
  EXPECT_EQ(TextOfXml(NodeOf(*document, "/a")), "12<3>");
}

TEST(XmlDocumentTest, ExpandsNoOtherEntity) {
  const auto document = XmlDocument::Parse(
      "<!DOCTYPE a PUBLIC \"-//x//y\" \"http://localhost/a.dtd\">\n<a t='&b;'>&b;&c;</a>", "");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(TextOfXml(NodeOf(*document, "/a")), "&b;&c;");
  EXPECT_EQ(TextOfXml(NodeOf(*document, "/a/@t")), "&b;");
  std::string laughs = "<!DOCTYPE a [\n<!ENTITY l0 \"ha\">\n";
  for (int i = 1; i < 10; ++i) {
    laughs += "<!ENTITY l" + std::to_string(i) + " \"" +
              Repeated("&l" + std::to_string(i - 1) + ";", 10) + "\">\n";
  }
  EXPECT_WORDING(RefusalOf(laughs, XmlError(laughs + "]>\n<a>&l9;</a>\n")));
  const std::string file = "<!DOCTYPE a [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><a>&f;</a>";
  EXPECT_WORDING(RefusalOf(file, XmlError(file)));
}

TEST(XmlDocumentTest, SaysWhatIsWrongInWhichLine) {
  for (const std::string_view text :
       {"", " \n", "no document\nat all\n", "<a>\n<b>\n</a>\n", "<a>\n", "<a\n", "<a b=1/>",
        "<a b='1/>\n", "<a>\n<!-- \n</a>\n", "<a>\n<![CDATA[\n", "<?xml\n", "<a>\n<!x></a>",
        "<!DOCTYPE a", "<a>\n\xff</a>", "<\n", "log\n<a>\n</b>\n", "<!-- nothing -->\n"}) {
    const Error error = XmlError(text);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << Shown(text);
    EXPECT_WORDING(RefusalOf(text, error));
  }
  const std::string nul("<a>\n\0</a>", 9);
  EXPECT_WORDING(RefusalOf(nul, XmlError(nul)));
}

TEST(XmlDocumentTest, RefusesWhatPugixmlReadsOver) {
  for (const std::string_view text :
       {"<a>\n</a>\nfinished\n", "<a/>\n<b/> 3 tests\n<c/>", "<a/>\n<![CDATA[x]]>",
        "<a>\n <b x='1' y='2'\n  x='3'/></a>", "<a x = \"1\" x=\"2\"/>", "<a x='1'x='2'/>"}) {
    const Error error = XmlError(text);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << Shown(text);
    EXPECT_WORDING(RefusalOf(text, error));
  }
  for (const std::string_view text :
       {"<a>text</a>\n \r\n\t", "<a x='y=1' y='x=\"2\"'/>", "<a x='1'><b x='1'/>x='2'</a>",
        "log\n<!-- x --><a/><!-- y --><?z x='1' x='1'?>", "<a b:x='1' x='1' X='1'/>"}) {
    const auto document = XmlDocument::Parse(text, "");
    EXPECT_TRUE(document) << Shown(text) << document.error().message;
  }
}

TEST(XmlDocumentTest, LimitsTheDepthOfElements) {
  const auto nested = [](std::size_t depth) {
    return Repeated("<a>", depth) + Repeated("</a>", depth);
  };
  EXPECT_TRUE(XmlDocument::Parse(nested(kXmlDepth), ""));
  EXPECT_TRUE(XmlDocument::Parse("<b>" + Repeated(nested(kXmlDepth - 1), 3) + "</b>", ""));
  EXPECT_WORDING(XmlError(nested(kXmlDepth + 1)));
  EXPECT_WORDING(XmlError(Repeated("<a>\n", 1'000'000)));
}

TEST(XmlDocumentTest, LimitsTheNumberOfElementsAndAttributes) {
  EXPECT_TRUE(XmlDocument::Parse("<a>" + Repeated("<b/>", kXmlItems - 1) + "</a>", ""));
  EXPECT_WORDING(XmlError("<a>\n" + Repeated("<b/>", kXmlItems) + "</a>"));
  EXPECT_WORDING(XmlError("<a>\n" + Repeated("<b c='1'/>", kXmlItems / 2) + "</a>"));
  EXPECT_WORDING(XmlError("<a>\n" + Repeated("x<!---->", kXmlItems) + "</a>"));
  // A sign within a value is no attribute.
  EXPECT_TRUE(XmlDocument::Parse("<a b='" + Repeated("=<", 2 * kXmlItems) + "'/>", ""));
}

TEST(XmlDocumentTest, ReadsALineOf64MiB) {
  const std::string text =
      "<a t='5'>" + std::string(std::size_t{64} * 1024 * 1024, 'x') + "</a>\n<a/>";
  const auto document = XmlDocument::Parse(text, "");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->LineOf(NodeOf(*document, "/a[2]")), 2U);
  EXPECT_EQ(TextOfXml(NodeOf(*document, "/a/@t")), "5");
}

}  // namespace
}  // namespace benchd
