#include "core/parse/json_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/number.h"
#include "core/parse/printed_value.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxPathSteps = kJsonDepth;
constexpr std::string_view kPathHint =
    "a condition is PATH, PATH == VALUE or PATH != VALUE; write [\"a > b\"] for such a name";

bool IsNothing(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      return true;
    case JsonValue::Kind::kBoolean:
      return !value.boolean;
    case JsonValue::Kind::kNumber:
      return value.number.value == 0;
    case JsonValue::Kind::kString: {
      const auto number = ParseNumber(value.text);
      return value.text.empty() || (number && number->value == 0);
    }
    case JsonValue::Kind::kArray:
    case JsonValue::Kind::kObject:
      break;
  }
  return value.items.empty();
}

/// What a value is, for "$.a is a number, not an object".
std::string_view KindOf(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBoolean:
      return "true or false";
    case JsonValue::Kind::kNumber:
      return "a number";
    case JsonValue::Kind::kString:
      return "a text";
    case JsonValue::Kind::kArray:
      return "a list";
    case JsonValue::Kind::kObject:
      break;
  }
  return "an object";
}

/// Names the members that an object has instead.
std::string MissingName(const JsonValue& object, std::string_view place, std::string_view name) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> names;
  for (const std::string& key : object.keys) {
    if (names.size() == kShown) {
      names.emplace_back("...");
      break;
    }
    names.push_back(Quoted(key));
  }
  const std::string has = names.empty() ? "it is empty" : "it has " + Join(names, ", ");
  return fmt::format("{} has no {}: {}", place, Quoted(name), has);
}

/// Returns the position of == or != outside of quotes, or npos.
std::size_t FindSign(std::string_view text) {
  char quote = '\0';
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quote != '\0') {
      if (text[at] == quote) quote = '\0';
    } else if (text[at] == '"' || text[at] == '\'') {
      quote = text[at];
    } else if (text.substr(at, 2) == "==" || text.substr(at, 2) == "!=") {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

class JsonPath::Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  Result<JsonPath> Read() {
    path_.text_ = std::string(text_);
    if (text_.empty()) return Refuse("is empty");
    TakeStart();
    while (!rest_.empty()) {
      if (path_.steps_.size() == kMaxPathSteps) return Refuse("has too many steps");
      TRY_VOID(rest_[0] == '[' ? TakeBrackets() : TakeName());
    }
    return std::move(path_);
  }

 private:
  Error Refuse(const std::string& why) const {
    return Error{ErrorCode::kInvalidArgument, Quoted(text_) + " " + why, {}};
  }

  void TakeStart() {
    const char first = rest_[0];
    bare_ = first != '.' && first != '[';
    if (first != '$' && first != '@' && first != '^') return;
    bare_ = false;
    if (first == '$') path_.from_ = From::kDocument;
    if (first != '^') return rest_.remove_prefix(1);
    path_.from_ = From::kAround;
    while (rest_.starts_with("^")) {
      ++path_.climbs_;
      rest_.remove_prefix(rest_.starts_with("^.^") ? 2 : 1);
    }
  }

  Result<void> TakeName() {
    if (!std::exchange(bare_, false)) {
      if (rest_[0] != '.') return Refuse("needs a . or [ before " + Quoted(rest_));
      rest_.remove_prefix(1);
    }
    const std::string_view name = rest_.substr(0, rest_.find_first_of(".["));
    if (name.empty()) return Refuse("has an empty name");
    TRY_VOID(CheckName(name));
    rest_.remove_prefix(name.size());
    if (name == "*") {
      path_.steps_.push_back({.kind = Step::Kind::kAll});
    } else if (IsPattern(name)) {
      path_.steps_.push_back(
          {.kind = Step::Kind::kLike, .name = std::string(name), .pattern = NamePattern(name)});
    } else {
      path_.steps_.push_back({.name = std::string(name)});
    }
    return {};
  }

  /// Refuses what is meant as something else than a name, which it would silently be.
  Result<void> CheckName(std::string_view name) const {
    const std::size_t sign = name.find_first_of("=<>!&|");
    if (sign == std::string_view::npos && !name.starts_with("not ") && !name.starts_with('/') &&
        !name.ends_with("()")) {
      return {};
    }
    return Error{ErrorCode::kInvalidArgument,
                 Quoted(text_) + ": " + Quoted(name) + " is not a name", std::string(kPathHint)};
  }

  Result<void> TakeBrackets() {
    bare_ = false;
    const std::string_view inside = rest_.substr(1);
    if (!inside.empty() && (inside[0] == '"' || inside[0] == '\'')) {
      const std::size_t end = inside.find(inside[0], 1);
      if (end == std::string_view::npos || inside.substr(end + 1, 1) != "]") {
        return Refuse("ends within brackets: write [\"name\"]");
      }
      path_.steps_.push_back({.name = std::string(inside.substr(1, end - 1))});
      rest_.remove_prefix(end + 3);
      return {};
    }
    const std::size_t end = inside.find(']');
    if (end == std::string_view::npos) return Refuse("ends within brackets");
    const std::string_view word = inside.substr(0, end);
    rest_.remove_prefix(end + 2);
    if (word == "*") {
      path_.steps_.push_back({.kind = Step::Kind::kAll});
      return {};
    }
    Step step{.kind = Step::Kind::kIndex};
    const auto [at, failed] = std::from_chars(word.data(), word.data() + word.size(), step.index);
    if (word.empty() || failed != std::errc() || at != word.data() + word.size()) {
      return Refuse("has " + Quoted(word) + " in brackets: write [*], [0] or [\"name\"]");
    }
    path_.steps_.push_back(std::move(step));
    return {};
  }

  std::string_view text_;
  std::string_view rest_;
  bool bare_ = false;  // the first name has no dot before it
  JsonPath path_;
};

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  return Reader(WithoutBlanks(text)).Read();
}

JsonPath JsonPath::Within(const JsonPath& each) const {
  const bool inside = from_ == From::kDocument && each.from_ == From::kDocument &&
                      steps_.size() >= each.steps_.size() &&
                      std::equal(each.steps_.begin(), each.steps_.end(), steps_.begin());
  JsonPath path = *this;
  if (!inside) return path;
  path.from_ = From::kElement;
  path.steps_.erase(path.steps_.begin(),
                    path.steps_.begin() + static_cast<std::ptrdiff_t>(each.steps_.size()));
  return path;
}

Result<void> JsonPath::ForEach(const JsonValue& document, const JsonElement& element,
                               const std::function<Result<void>(const JsonElement&)>& take) const {
  const JsonElement start = StartOf(document, element);
  return start.value == nullptr ? Result<void>() : Walk(0, start, take);
}

/// Returns where the path begins; an element without a value if there are too few objects around.
JsonElement JsonPath::StartOf(const JsonValue& document, const JsonElement& element) const {
  if (from_ == From::kDocument) return {.value = &document};
  if (from_ == From::kElement) return element;
  if (climbs_ > element.around.size()) return {};
  return {.value = element.around[element.around.size() - climbs_]};
}

Result<void> JsonPath::Walk(std::size_t step, const JsonElement& at,
                            const std::function<Result<void>(const JsonElement&)>& take) const {
  if (step == steps_.size()) return take(at);
  const JsonValue& value = *at.value;
  const bool object = value.kind == JsonValue::Kind::kObject;
  if (!object && value.kind != JsonValue::Kind::kArray) return {};
  const Step& next = steps_[step];
  const auto go = [&](std::size_t item) {
    JsonElement into{&value.items[item], object ? value.keys[item] : std::to_string(item),
                     at.around};
    if (object) into.around.push_back(&value);
    return Walk(step + 1, into, take);
  };
  switch (next.kind) {
    case Step::Kind::kName: {
      if (!object) return {};
      const auto found = std::find(value.keys.begin(), value.keys.end(), next.name);
      return found == value.keys.end() ? Result<void>()
                                       : go(static_cast<std::size_t>(found - value.keys.begin()));
    }
    case Step::Kind::kIndex: {
      const auto size = static_cast<std::ptrdiff_t>(value.items.size());
      const std::ptrdiff_t index = next.index < 0 ? next.index + size : next.index;
      return object || index < 0 || index >= size ? Result<void>()
                                                  : go(static_cast<std::size_t>(index));
    }
    case Step::Kind::kLike:
      if (!object) return {};
      break;
    case Step::Kind::kAll:
      break;
  }
  for (std::size_t item = 0; item < value.items.size(); ++item) {
    if (next.kind == Step::Kind::kLike && !next.Takes(value.keys[item])) continue;
    TRY_VOID(go(item));
  }
  return {};
}

const JsonValue* JsonPath::First(const JsonValue& document, const JsonElement& element) const {
  const JsonValue* first = nullptr;
  // The error only ends the walk.
  static_cast<void>(ForEach(document, element, [&first](const JsonElement& found) -> Result<void> {
    first = found.value;
    return Error{};
  }));
  return first;
}

std::string JsonPath::TextFor(const JsonElement& found) const {
  const bool several = !steps_.empty() && (steps_.back().kind == Step::Kind::kAll ||
                                           steps_.back().kind == Step::Kind::kLike);
  return several ? text_ + " (" + found.key + ")" : text_;
}

std::string JsonPath::WhyNothing(const JsonValue& document, const JsonElement& element) const {
  const JsonValue* value = StartOf(document, element).value;
  if (value == nullptr) return "there are fewer objects around the element";
  std::string place = from_ == From::kDocument ? "$" : from_ == From::kElement ? "@" : "^";
  for (const Step& step : steps_) {
    const bool object = value->kind == JsonValue::Kind::kObject;
    if (step.kind == Step::Kind::kName || step.kind == Step::Kind::kLike) {
      if (!object) return fmt::format("{} is {}, not an object", place, KindOf(*value));
      const auto found = std::ranges::find_if(
          value->keys, [&step](const std::string& key) { return step.Takes(key); });
      if (found == value->keys.end()) return MissingName(*value, place, step.name);
      value = &value->items[static_cast<std::size_t>(found - value->keys.begin())];
      place += "." + OnOneLine(Utf8Lossy(*found));
      continue;
    }
    if (!object && value->kind != JsonValue::Kind::kArray) {
      return fmt::format("{} is {}, not a list", place, KindOf(*value));
    }
    const auto size = static_cast<std::ptrdiff_t>(value->items.size());
    if (step.kind == Step::Kind::kIndex && object) return place + " is an object, not a list";
    const std::ptrdiff_t index = step.index < 0 ? step.index + size : step.index;
    if (index < 0 || index >= size) {
      return fmt::format("{} has {} item{}", place, size, size == 1 ? "" : "s");
    }
    value = &value->items[static_cast<std::size_t>(index)];
    place += fmt::format("[{}]", index);
  }
  return {};
}

Result<JsonCondition> JsonCondition::Parse(std::string_view text) {
  JsonCondition condition;
  std::string_view literal;
  if (const std::size_t at = FindSign(text); at != std::string_view::npos) {
    condition.kind_ = text[at] == '=' ? Kind::kEqual : Kind::kNotEqual;
    literal = WithoutBlanks(text.substr(at + 2));
    text = text.substr(0, at);
  }
  TRY(auto path, JsonPath::Parse(text));
  condition.path_ = std::move(path);
  if (condition.kind_ == Kind::kAny) return condition;
  JsonValue& value = condition.literal_;
  const bool quoted = literal.size() > 1 && (literal.front() == '"' || literal.front() == '\'') &&
                      literal.back() == literal.front();
  if (quoted) {
    value.kind = JsonValue::Kind::kString;
    value.text = std::string(literal.substr(1, literal.size() - 2));
  } else if (literal == "true" || literal == "false") {
    value.kind = JsonValue::Kind::kBoolean;
    value.boolean = literal == "true";
  } else if (literal != "null") {
    const auto number = ParseNumber(literal);
    if (!number) {
      return Error{ErrorCode::kInvalidArgument,
                   Quoted(literal) +
                       " is not a value: write a number, \"text\", true, false or "
                       "null",
                   {}};
    }
    value.kind = JsonValue::Kind::kNumber;
    value.number = *number;
  }
  return condition;
}

JsonCondition JsonCondition::Within(const JsonPath& each) const {
  JsonCondition condition = *this;
  condition.path_ = path_.Within(each);
  return condition;
}

bool JsonCondition::Holds(const JsonValue& value) const {
  if (kind_ == Kind::kAny) return !IsNothing(value);
  if (literal_.kind == JsonValue::Kind::kNumber && value.kind == JsonValue::Kind::kString) {
    const auto number = ParseNumber(value.text);
    return number && number->value == literal_.number.value;
  }
  // A CSV has only texts, in which Python writes True.
  if (literal_.kind == JsonValue::Kind::kBoolean && value.kind == JsonValue::Kind::kString) {
    std::string text = value.text;
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text == (literal_.boolean ? "true" : "false");
  }
  if (literal_.kind != value.kind) return false;
  return literal_.text == value.text && literal_.boolean == value.boolean &&
         literal_.number.value == value.number.value;
}

JsonElement JsonCondition::FindWhere(const JsonValue& document, const JsonElement& element) const {
  JsonElement first;
  JsonElement holds;
  // The error only ends the walk.
  static_cast<void>(path_.ForEach(document, element, [&](const JsonElement& found) -> Result<void> {
    if (first.value == nullptr) first = found;
    if (!Holds(*found.value)) return {};
    holds = found;
    return Error{};
  }));
  if (kind_ != Kind::kNotEqual) return holds;
  return holds.value != nullptr ? JsonElement() : first;
}

std::optional<std::string> TextOfJson(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::kString) return value.text;
  if (value.kind == JsonValue::Kind::kBoolean) return value.boolean ? "true" : "false";
  if (value.kind != JsonValue::Kind::kNumber) return std::nullopt;
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value.number.value).ptr;
  return std::string(digits.data(), end);
}

}  // namespace benchd
