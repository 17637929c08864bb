#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/name_pattern.h"
#include "core/parse/json_records.h"

namespace benchd {

/// A value within a document, and the objects around it.
struct JsonElement {
  const JsonValue* value = nullptr;
  std::string key = {};  ///< its name or its index in what contains it; empty for the document
  std::vector<const JsonValue*> around = {};  ///< the objects that contain it, the outermost first
};

/// A path into a JSON document: `$.jobs[*].read["clat ns"].mean`.
///
/// It begins at the document (`$`), at an element (`@` or nothing), or at an object around the
/// element (`^` for the nearest one, `^.^` for the next). Its steps are `.name`, `["name"]`, `[0]`,
/// `[-1]` (the last), `[*]` or `.*` (all items or members), and `.na*` (the members whose names
/// match the NamePattern).
class JsonPath {
 public:
  /// @errors kInvalidArgument "'$.a[' ends within brackets", without a hint.
  static Result<JsonPath> Parse(std::string_view text);

  /// Returns this path relative to an element of `each`, if it begins with the steps of `each`, or
  /// else unchanged.
  JsonPath Within(const JsonPath& each) const;

  /// Whether the path begins at the document.
  bool from_document() const { return from_ == From::kDocument; }
  const std::string& text() const { return text_; }
  /// Returns the text, with the name of the element to which it led if that is not a part of it:
  /// "$.codes.5* (503)".
  std::string TextFor(const JsonElement& found) const;

  /// Calls `take` for each value that the path leads to, in the order of the document, until a call
  /// fails.
  Result<void> ForEach(const JsonValue& document, const JsonElement& element,
                       const std::function<Result<void>(const JsonElement&)>& take) const;

  /// Returns the first value that the path leads to, or nullptr.
  const JsonValue* First(const JsonValue& document, const JsonElement& element) const;

  /// Returns why the path leads to nothing, following the first item where there are several:
  /// "$.cases[0] has no 'men': it has 'name', 'mean'". Empty if it leads to something.
  std::string WhyNothing(const JsonValue& document, const JsonElement& element) const;

 private:
  enum class From { kDocument, kElement, kAround };
  struct Step {
    enum class Kind { kName, kIndex, kAll, kLike } kind = Kind::kName;
    std::string name = {};  ///< of kLike: the pattern
    std::ptrdiff_t index = 0;
    std::optional<NamePattern> pattern = {};

    bool Takes(std::string_view member) const {
      return pattern ? pattern->Matches(member) : member == name;
    }
    bool operator==(const Step& other) const {
      return kind == other.kind && name == other.name && index == other.index;
    }
  };
  class Reader;
  JsonElement StartOf(const JsonValue& document, const JsonElement& element) const;
  Result<void> Walk(std::size_t step, const JsonElement& at,
                    const std::function<Result<void>(const JsonElement&)>& take) const;

  std::string text_;
  From from_ = From::kElement;
  std::size_t climbs_ = 0;  // of kAround
  std::vector<Step> steps_;
};

/// A question about a document: PATH (a value exists that is not null, false, 0 or empty), or PATH
/// == LITERAL, or PATH != LITERAL (values exist, and none equals it).
class JsonCondition {
 public:
  /// @errors those of JsonPath::Parse(); kInvalidArgument for a literal that is neither a number, a
  ///         string in quotes, true, false nor null.
  static Result<JsonCondition> Parse(std::string_view text);

  JsonCondition Within(const JsonPath& each) const;

  /// Returns the first value for which the condition holds; one without a value if there is none.
  JsonElement FindWhere(const JsonValue& document, const JsonElement& element) const;
  const JsonPath& path() const { return path_; }

 private:
  enum class Kind { kAny, kEqual, kNotEqual };
  bool Holds(const JsonValue& value) const;

  JsonPath path_;
  Kind kind_ = Kind::kAny;
  JsonValue literal_;
};

/// Returns a string, number or boolean as text; std::nullopt for null, arrays and objects.
std::optional<std::string> TextOfJson(const JsonValue& value);

}  // namespace benchd
