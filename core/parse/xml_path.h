#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>

#include "core/base/result.h"

namespace benchd {

/// The maximum length of an XPath expression. It limits the depth to which pugixml recurses, which
/// is in proportion to it.
inline constexpr std::size_t kMaxXPathBytes = 1024;

/// An expression of XPath 1.0, without variables, as pugixml compiles and evaluates it. A prefix of
/// a name is part of it, because pugixml does not know namespaces.
///
/// The time to evaluate an expression has no useful limit: each // within brackets multiplies it by
/// the size of the document. benchd therefore only compiles expressions, and benchd-helper
/// evaluates them within its limits. Pure and thread-safe.
///
/// All evaluating functions throw std::bad_alloc if the nodes do not fit into memory.
class XmlPath {
 public:
  /// @errors kInvalidArgument with pugixml's reason and a hint.
  static Result<XmlPath> Parse(const std::string& text);

  const std::string& text() const { return text_; }
  /// Whether the value is a set of nodes, and not a number, a text or a condition.
  bool LeadsToNodes() const { return query_->return_type() == pugi::xpath_type_node_set; }
  bool IsCondition() const { return query_->return_type() == pugi::xpath_type_boolean; }

  /// Returns the nodes in the order of the document. Requires LeadsToNodes().
  pugi::xpath_node_set NodesAt(const pugi::xpath_node& from) const;
  /// Returns the value as XPath's boolean(): whether there are nodes, or a number is not 0, or a
  /// text not empty.
  bool HoldsAt(const pugi::xpath_node& from) const { return query_->evaluate_boolean(from); }
  /// Returns the value as XPath's string().
  std::string TextAt(const pugi::xpath_node& from) const { return query_->evaluate_string(from); }

 private:
  std::string text_;
  std::shared_ptr<const pugi::xpath_query> query_;
};

/// A reference of a template to what an element has: the name of an attribute or else of a child
/// element, or an XPath expression.
class XmlReference {
 public:
  /// @errors those of XmlPath::Parse().
  static Result<XmlReference> Parse(const std::string& text);

  /// Returns the text in UTF-8, without blanks around it. If the expression leads to several nodes,
  /// it is their texts with / between them. std::nullopt if it leads to none.
  std::optional<std::string> TextAt(const pugi::xpath_node& element) const;

 private:
  std::string name_;             // if it is only a name
  std::optional<XmlPath> path_;  // otherwise
};

/// Returns the value of an attribute, or all text within an element, without blanks around it. Not
/// necessarily UTF-8, because a reference such as &#xD800; may denote anything.
std::string TextOfXml(const pugi::xpath_node& node);

/// Returns an error text of pugixml as the end of a message: "start-end tags mismatch".
std::string ReasonOfPugixml(const char* text);

}  // namespace benchd
