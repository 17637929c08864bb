#pragma once

#include <cstddef>
#include <memory>
#include <pugixml.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The maximum depth of elements, far more than any report uses.
inline constexpr std::size_t kXmlDepth = 64;
/// The maximum number of elements and attributes of one output. Comments, sections of CDATA and
/// processing instructions count, too, because each may split a text. A document of that size takes
/// about 80 MiB.
inline constexpr std::size_t kXmlItems = 400'000;

/// The XML in an output, read by pugixml.
///
/// The text is checked before pugixml reads it, so that the memory and the depth of the tree are
/// limited. Entities other than the five of XML remain as they are written. No file is read and
/// nothing is expanded.
class XmlDocument {
 public:
  /// Reads the XML in `text`, which must outlive the document. Lines before the first one that
  /// begins with `<` are skipped, but not lines after it. Several documents in succession are one
  /// document with several root elements.
  ///
  /// @param hint  for the errors
  /// @errors kInvalidArgument "line 3: ..." for text that is not XML or not UTF-8, text outside of
  ///         the root elements, an attribute that is given twice, a DOCTYPE with declarations, or
  ///         more than kXmlDepth and kXmlItems allow; "the output is empty: expected XML".
  ///         kResourceExhausted if memory does not suffice.
  static Result<XmlDocument> Parse(std::string_view text, std::string_view hint);

  /// Returns the parent of all root elements.
  pugi::xpath_node root() const { return {*tree_}; }

  /// Returns the line of the output, from 1, on which a node begins; for an attribute, that of its
  /// element. Takes a time that does not grow with the text.
  std::size_t LineOf(const pugi::xpath_node& node) const;

  /// Returns the text from the begin of a node, or of an attribute's element, to the end of its
  /// line.
  std::string_view SourceOf(const pugi::xpath_node& node) const;

 private:
  XmlDocument(std::string_view text, std::size_t lines_before);
  Result<void> Load(std::string_view hint);
  std::size_t OffsetOf(const pugi::xpath_node& node) const;
  std::size_t LineAt(std::size_t offset) const;

  std::string_view text_;              // from the first line that is read
  std::vector<std::size_t> lines_to_;  // for each block of text_, the number of lines before it
  std::unique_ptr<pugi::xml_document> tree_ = std::make_unique<pugi::xml_document>();
};

}  // namespace benchd
