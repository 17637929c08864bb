#include "core/parse/xml_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

/// Returns whether a text is only a name, which may have a prefix.
bool IsXmlName(std::string_view text) {
  const auto may_begin = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalpha(byte) != 0 || c == '_' || byte >= 0x80;
  };
  const auto may_follow = [&](char c) {
    return may_begin(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' ||
           c == '.' || c == ':';
  };
  return !text.empty() && may_begin(text[0]) && std::ranges::all_of(text, may_follow);
}

std::string WithoutXmlBlanks(std::string_view text) {
  constexpr std::string_view kPathBlanks = " \t\r\n";
  const auto begin = text.find_first_not_of(kPathBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kPathBlanks) - begin + 1));
}

Error RefuseXPath(const std::string& text, const std::string& why) {
  return Error{ErrorCode::kInvalidArgument, Quoted(text) + " is not an XPath expression: " + why,
               "write an expression of XPath 1.0, such as //testcase, @time or mean/@value"};
}

}  // namespace

Result<XmlPath> XmlPath::Parse(const std::string& text) {
  if (text.size() > kMaxXPathBytes) {
    return RefuseXPath(text, fmt::format("it has more than {} bytes", kMaxXPathBytes));
  }
  if (text.find('\0') != std::string::npos) return RefuseXPath(text, "it contains a NUL byte");
  XmlPath made;
  made.text_ = text;
  try {
    made.query_ = std::make_shared<const pugi::xpath_query>(text.c_str());
  } catch (const pugi::xpath_exception& failed) {
    return RefuseXPath(text, ReasonOfPugixml(failed.what()));
  }
  return made;
}

pugi::xpath_node_set XmlPath::NodesAt(const pugi::xpath_node& from) const {
  pugi::xpath_node_set nodes = query_->evaluate_node_set(from);
  nodes.sort();
  return nodes;
}

Result<XmlReference> XmlReference::Parse(const std::string& text) {
  XmlReference made;
  if (IsXmlName(text)) {
    made.name_ = text;
    return made;
  }
  TRY(auto path, XmlPath::Parse(text));
  made.path_ = std::move(path);
  return made;
}

std::optional<std::string> XmlReference::TextAt(const pugi::xpath_node& element) const {
  if (!path_) {
    const pugi::xml_node node = element.node();
    if (const auto attribute = node.attribute(name_.c_str())) {
      return Utf8Lossy(WithoutXmlBlanks(attribute.value()));
    }
    const pugi::xml_node child = node.child(name_.c_str());
    return child ? std::optional(Utf8Lossy(TextOfXml(child))) : std::nullopt;
  }
  if (!path_->LeadsToNodes()) return Utf8Lossy(WithoutXmlBlanks(path_->TextAt(element)));
  const pugi::xpath_node_set nodes = path_->NodesAt(element);
  if (nodes.empty()) return std::nullopt;
  return Utf8Lossy(Join(nodes, "/", TextOfXml));
}

std::string ReasonOfPugixml(const char* text) {
  std::string reason = OnOneLine(Utf8Lossy(text));
  if (!reason.empty()) {
    reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  }
  return reason;
}

std::string TextOfXml(const pugi::xpath_node& node) {
  if (node.attribute()) return WithoutXmlBlanks(node.attribute().value());
  static const pugi::xpath_query kText("string(.)");
  return WithoutXmlBlanks(kText.evaluate_string(node));
}

}  // namespace benchd
