#include "core/parse/xml_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/xml_path.h"

namespace benchd {
namespace {

constexpr std::string_view kXmlBlanks = " \t\r\n";
/// Lines are counted up to the begin of each block of this size. A line number then takes a time
/// that does not grow with the text.
constexpr std::size_t kLineBlock = 512;

std::size_t NewlinesIn(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// What is wrong with a text, and where.
struct XmlFault {
  std::size_t offset = 0;
  std::string why;
};

/// What is wrong with the shape of a text.
struct XmlFaults {
  std::optional<XmlFault> limit;  ///< its tree would be too deep or too large
  /// It is not well-formed, but pugixml would read it: repeated attributes, and text outside of
  /// the root elements.
  std::optional<XmlFault> ignored;
};

/// Checks how deep and how large the tree of a text would be, and what pugixml does not check. It
/// reads well-formed XML as pugixml does. Where a text is not well-formed, it may read on in
/// another way, but pugixml stops there.
class XmlShape {
 public:
  explicit XmlShape(std::string_view text) : text_(text) {}

  XmlFaults Check() && {
    while (!faults_.limit) {
      const std::size_t tag = std::min(text_.find('<', at_), text_.size());
      TakeText(tag);
      at_ = tag;
      if (at_ == text_.size()) break;
      TakeTag();
    }
    return std::move(faults_);
  }

 private:
  void Refuse(std::string why) { faults_.limit = XmlFault{at_, std::move(why)}; }
  void Note(std::size_t offset, std::string why) {
    if (!faults_.ignored) faults_.ignored = XmlFault{offset, std::move(why)};
  }

  /// Takes the text up to `end`. Outside of elements, only blanks are allowed.
  void TakeText(std::size_t end) {
    if (depth_ > 0 || faults_.ignored) return;
    const std::size_t first = text_.find_first_not_of(kXmlBlanks, at_);
    if (first >= end) return;
    const std::string_view line =
        text_.substr(first, std::min(end, text_.find_first_of("\r\n", first)) - first);
    Note(first, "expected only elements outside of the root element, found " + Quoted(line));
  }

  void TakeTag() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("</")) return TakeEnd();
    if (rest.starts_with("<!DOCTYPE")) return TakeDoctype();
    Count();
    if (rest.starts_with("<!--")) return SkipPast("-->", 4);
    if (rest.starts_with("<![CDATA[")) {
      if (depth_ == 0) Note(at_, "expected only elements outside of the root element, found CDATA");
      return SkipPast("]]>", 9);
    }
    if (rest.starts_with("<?")) return SkipPast("?>", 2);
    TakeElement();
  }

  void Count() {
    if (++items_ <= kXmlItems || faults_.limit) return;
    Refuse(fmt::format("more than {} elements and attributes", kXmlItems));
  }

  /// @param opening  the length of what precedes the text that `end` ends
  void SkipPast(std::string_view end, std::size_t opening) {
    const std::size_t found = text_.find(end, at_ + opening);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  void TakeEnd() {
    if (depth_ > 0) --depth_;
    SkipPast(">", 2);
  }

  /// A declaration could only define entities and defaults, which are not read. Without them,
  /// values could be wrong.
  void TakeDoctype() {
    const std::size_t end = text_.find_first_of("[>", at_);
    if (end != std::string_view::npos && text_[end] == '[') {
      return Refuse("a DOCTYPE with declarations cannot be read");
    }
    SkipPast(">", 2);
  }

  void TakeElement() {
    std::size_t at = at_ + 1;
    std::size_t begin = at;  // of the text that ends with the name of an attribute
    attributes_.clear();
    while ((at = text_.find_first_of("='\">", at)) != std::string_view::npos && text_[at] != '>') {
      if (text_[at] == '=') {
        Count();
        TakeAttribute(text_.substr(begin, at - begin));
      } else {
        at = text_.find(text_[at], at + 1);
        if (at == std::string_view::npos) break;
      }
      begin = ++at;
    }
    if (faults_.limit) return;
    at = std::min(at, text_.size() - 1);
    if (text_[at - 1] != '/' && ++depth_ > kXmlDepth) {
      return Refuse(fmt::format("nested deeper than {} levels", kXmlDepth));
    }
    at_ = at + 1;
  }

  /// Takes an attribute, whose name is the last word of `before`.
  void TakeAttribute(std::string_view before) {
    const std::size_t end = before.find_last_not_of(kXmlBlanks);
    if (end == std::string_view::npos) return;
    before = before.substr(0, end + 1);
    const std::string_view name = before.substr(before.find_last_of(kXmlBlanks) + 1);
    if (attributes_.insert(name).second) return;
    Note(static_cast<std::size_t>(name.data() - text_.data()),
         "the attribute " + Quoted(name) + " is given twice");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t items_ = 0;
  std::set<std::string_view> attributes_;  // of the current element
  XmlFaults faults_;
};

/// Returns the offset of the first line that begins with `<`, after blanks; 0 if there is none.
std::size_t BeginOfXml(std::string_view text) {
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t first = text.find_first_not_of(" \t\r", line);
    if (first == std::string_view::npos) break;
    if (text[first] == '<') return line;
    const std::size_t end = text.find('\n', first);
    if (end == std::string_view::npos) break;
    line = end + 1;
  }
  return 0;
}

/// Returns what makes the text something else than XML before its first element.
std::optional<XmlFault> FaultOf(std::string_view text) {
  if (const auto invalid = FirstInvalidUtf8(text)) return XmlFault{*invalid, "is not UTF-8"};
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return XmlFault{nul, "contains a NUL byte"};
  }
  const std::size_t first = text.find_first_not_of(kXmlBlanks);
  if (text[first] == '<') return std::nullopt;
  const std::size_t end = text.find_first_of("\r\n", first);
  return XmlFault{first, "expected XML, found " + Quoted(text.substr(first, end - first))};
}

}  // namespace

XmlDocument::XmlDocument(std::string_view text, std::size_t lines_before) : text_(text) {
  for (std::size_t begin = 0; begin <= text.size(); begin += kLineBlock) {
    lines_to_.push_back(lines_before);
    lines_before += NewlinesIn(text.substr(begin, kLineBlock));
  }
}

Result<XmlDocument> XmlDocument::Parse(std::string_view text, std::string_view hint) {
  if (text.find_first_not_of(kXmlBlanks) == std::string_view::npos) {
    return Error{ErrorCode::kInvalidArgument, "the output is empty: expected XML",
                 std::string(hint)};
  }
  const std::size_t begin = BeginOfXml(text);
  XmlDocument document(text.substr(begin), NewlinesIn(text.substr(0, begin)));
  TRY_VOID(document.Load(hint));
  return document;
}

Result<void> XmlDocument::Load(std::string_view hint) {
  const auto refuse = [&](std::size_t offset, const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("line {}: {}", LineAt(offset), why),
                 std::string(hint)};
  };
  if (const auto fault = FaultOf(text_)) return refuse(fault->offset, fault->why);
  const XmlFaults faults = XmlShape(text_).Check();
  if (faults.limit) return refuse(faults.limit->offset, faults.limit->why);
  const pugi::xml_parse_result result =
      tree_->load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result) {
    // pugixml knows the first place that is not well-formed, unless it reads on there.
    return faults.ignored ? Result<void>(refuse(faults.ignored->offset, faults.ignored->why))
                          : Result<void>();
  }
  if (result.status == pugi::status_out_of_memory) {
    return Error{ErrorCode::kResourceExhausted, "the XML does not fit into memory",
                 std::string(hint)};
  }
  return refuse(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)),
                "not XML: " + ReasonOfPugixml(result.description()));
}

std::size_t XmlDocument::OffsetOf(const pugi::xpath_node& node) const {
  const pugi::xml_node of = node.attribute() ? node.parent() : node.node();
  const std::ptrdiff_t offset = of.offset_debug();
  if (offset <= 0) return 0;
  const auto at = std::min(static_cast<std::size_t>(offset), text_.size());
  // pugixml has the place of an element's name.
  return of.type() == pugi::node_element ? at - 1 : at;
}

std::size_t XmlDocument::LineAt(std::size_t offset) const {
  const std::size_t at = std::min(offset, text_.size());
  const std::size_t block = at / kLineBlock;
  const std::size_t begin = block * kLineBlock;
  return lines_to_[block] + NewlinesIn(text_.substr(begin, at - begin)) + 1;
}

std::size_t XmlDocument::LineOf(const pugi::xpath_node& node) const {
  return LineAt(OffsetOf(node));
}

std::string_view XmlDocument::SourceOf(const pugi::xpath_node& node) const {
  const std::string_view rest = text_.substr(OffsetOf(node));
  return rest.substr(0, rest.find_first_of("\r\n"));
}

}  // namespace benchd
