#include "core/parse/json_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"

namespace benchd {
namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kDetailBytes = 200;
constexpr std::string_view kJsonBlanks = " \t\r\n";

/// An iterator over the characters of a text that counts the characters read. This is the only way
/// to know the position of nlohmann's reader.
class CountedCharacters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedCharacters(const char* at, std::size_t* taken) : at_(at), taken_(taken) {}
  reference operator*() const { return *at_; }
  CountedCharacters& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }
  CountedCharacters operator++(int) {
    CountedCharacters before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountedCharacters& other) const { return at_ == other.at_; }
  bool operator!=(const CountedCharacters& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* taken_;
};

std::string_view NameOf(Kind kind) {
  constexpr std::array<std::string_view, 6> kNames{"null",     "a boolean", "a number",
                                                   "a string", "an array",  "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Extracts the detail from nlohmann's "[json.exception...] parse error at line 1, column 2: syntax
/// error while parsing value - invalid literal; last read: 'x'".
std::string DetailOf(std::string_view message) {
  if (const auto at = message.find(" - "); at != std::string_view::npos) {
    message.remove_prefix(at + 3);
  }
  if (const auto at = message.find("; last read"); at != std::string_view::npos) {
    const auto expected = message.find("; expected", at);
    std::string detail(message.substr(0, at));
    if (expected != std::string_view::npos) detail.append(message.substr(expected));
    return OnOneLine(detail.substr(0, kDetailBytes));
  }
  return OnOneLine(message.substr(0, kDetailBytes));
}

/// Returns the word at an offset. Several harnesses print NaN and Infinity, which are not valid
/// JSON.
std::string_view WordAt(std::string_view text, std::size_t at) {
  const auto is_letter = [text](std::size_t i) {
    return std::isalpha(static_cast<unsigned char>(text[i])) != 0;
  };
  if (at >= text.size() || !is_letter(at)) return {};
  std::size_t begin = at;
  while (begin > 0 && is_letter(begin - 1)) --begin;
  std::size_t end = at + 1;
  while (end < text.size() && is_letter(end)) ++end;
  return text.substr(begin, end - begin);
}

bool IsNoFiniteNumber(std::string_view word) {
  std::string lower(word.substr(0, 9));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

/// Returns the index of a member whose name occurred before.
std::optional<std::size_t> FindTwin(const JsonValue& object) {
  std::vector<std::size_t> order(object.keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&object](std::size_t a, std::size_t b) {
    const int compared = object.keys[a].compare(object.keys[b]);
    return compared < 0 || (compared == 0 && a < b);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (object.keys[order[i]] == object.keys[order[i - 1]]) return order[i];
  }
  return std::nullopt;
}

/// Converts the events of nlohmann's parser to records.
class RecordReader {
 public:
  RecordReader(std::string_view text, const JsonLayout& layout, const TakeJsonRecord& take)
      : text_(text), layout_(layout), take_(take), line_(layout.first_line) {}

  Result<void> Read() {
    if (text_.find_first_not_of(kJsonBlanks) == std::string_view::npos) {
      return Error{ErrorCode::kInvalidArgument, "the output is empty: expected JSON",
                   std::string(layout_.hint)};
    }
    const bool read = layout_.records == JsonRecords::kDocuments ? ReadDocuments() : ReadOne(true);
    if (error_) return std::move(*error_);
    if (!read) return JsonError(line_, "not valid JSON", layout_.hint);
    if (layout_.records == JsonRecords::kNamedArray && !found_) {
      return Error{ErrorCode::kInvalidArgument, "missing array " + Quoted(layout_.key),
                   std::string(layout_.hint)};
    }
    return {};
  }

  // Callbacks of nlohmann's parser. Returning false ends the reading.
  bool null() { return TakeScalar({.kind = Kind::kNull}, 0); }
  bool boolean(bool value) { return TakeScalar({.kind = Kind::kBoolean, .boolean = value}, 0); }
  bool number_integer(std::int64_t value) { return TakeWhole(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) { return TakeWhole(static_cast<double>(value)); }
  bool number_float(double, const std::string& spelling) {
    auto number = ParseNumber(spelling);
    if (!number) return Refuse(number.error().message, 1);
    return TakeScalar({.kind = Kind::kNumber, .number = *number}, 1);
  }
  bool string(std::string& value) {
    return TakeScalar({.kind = Kind::kString, .text = value.substr(0, kJsonTextBytes)}, 0);
  }
  bool binary(nlohmann::json::binary_t&) { return Refuse("binary data", 0); }
  bool start_object(std::size_t) { return Open(Kind::kObject); }
  bool start_array(std::size_t) { return Open(Kind::kArray); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    if (name.size() > kJsonTextBytes) return Refuse("a name exceeds 4096 bytes", 0);
    if (!open_.empty()) {
      open_.back().keys.push_back(name);
      return true;
    }
    if (depth_ != 1) return true;
    key_ = name;
    if (layout_.records == JsonRecords::kTopMembers && !names_.insert(name).second) {
      return Refuse(Quoted(name) + " occurs twice", 0);
    }
    if (layout_.records == JsonRecords::kNamedArray && key_ == layout_.key && found_) {
      return Refuse(Quoted(name) + " occurs twice", 0);
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    const std::string_view word = WordAt(text_, taken_ == 0 ? 0 : taken_ - 1);
    if (IsNoFiniteNumber(word))
      return Refuse(OfWhat() + Quoted(word) + " is not a finite number", 1);
    if (error.id == 406) return Refuse("a number does not fit a double", 1);
    return Refuse("not valid JSON: " + DetailOf(error.what()), 1);
  }

 private:
  /// Reads the JSON text that begins after the characters taken.
  /// @param alone  nothing may follow it
  bool ReadOne(bool alone) {
    return nlohmann::json::sax_parse(CountedCharacters(text_.data() + taken_, &taken_),
                                     CountedCharacters(text_.data() + text_.size(), nullptr), this,
                                     nlohmann::json::input_format_t::json, alone);
  }

  bool ReadDocuments() {
    while (text_.find_first_not_of(kJsonBlanks, taken_) != std::string_view::npos) {
      if (!ReadOne(false)) return false;
    }
    return true;
  }

  bool Refuse(const std::string& why, std::size_t ahead) {
    if (!error_) error_ = JsonError(LineOf(ahead), why, layout_.hint);
    return false;
  }

  /// Returns the place of the error for the message, such as "'hits' of 'BM_Sort': ", as far as it
  /// is known.
  std::string OfWhat() const {
    const auto named = std::find_if(open_.rbegin(), open_.rend(),
                                    [](const JsonValue& value) { return !value.keys.empty(); });
    if (named == open_.rend()) return {};
    const std::string what = Quoted(named->keys.back());
    const JsonValue& record = open_.front();
    for (const std::string_view name : {"name", "fullname", "benchmark", "command"}) {
      // The last key may not have a value yet.
      for (std::size_t i = 0; i < std::min(record.keys.size(), record.items.size()); ++i) {
        if (record.keys[i] != name || record.items[i].kind != Kind::kString) continue;
        return what + " of " + Quoted(record.items[i].text) + ": ";
      }
    }
    return what + ": ";
  }

  /// Returns the line of the last token. `ahead` is the number of characters read beyond it.
  std::size_t LineOf(std::size_t ahead) {
    const std::size_t end = taken_ > ahead ? taken_ - ahead : 0;
    if (end > counted_) {
      line_ += static_cast<std::size_t>(
          std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                     text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      counted_ = end;
    }
    return line_;
  }

  bool TakeWhole(double value) {
    return TakeScalar({.kind = Kind::kNumber, .number = {value, 1}}, 1);
  }

  bool IsRecord() const {
    switch (layout_.records) {
      case JsonRecords::kTopArray:
      case JsonRecords::kTopMembers:
        return depth_ == 1;
      case JsonRecords::kNamedArray:
        return depth_ == 2 && inside_;
      case JsonRecords::kWhole:
      case JsonRecords::kDocuments:
        return depth_ == 0;
    }
    return false;
  }

  /// Checks that values outside records match the layout.
  bool CheckPlace(Kind kind) {
    if (depth_ == 0) {
      const Kind wanted = layout_.records == JsonRecords::kTopArray ? Kind::kArray : Kind::kObject;
      if (kind == wanted) return true;
      return Refuse(
          std::string("expected ").append(NameOf(wanted)).append(", found ").append(NameOf(kind)),
          0);
    }
    if (layout_.records != JsonRecords::kNamedArray || depth_ != 1 || key_ != layout_.key) {
      return true;
    }
    found_ = true;
    if (kind == Kind::kArray) return true;
    return Refuse(Quoted(key_).append(" is ").append(NameOf(kind)) + ", expected an array", 0);
  }

  bool TakeScalar(JsonValue value, std::size_t ahead) {
    if (open_.empty() && !IsRecord()) return CheckPlace(value.kind);
    value.line = LineOf(ahead);
    return TakeValue(std::move(value));
  }

  bool TakeValue(JsonValue value) {
    if (++values_ > kJsonRecordValues) {
      return Refuse(fmt::format("more than {} values{}", kJsonRecordValues,
                                layout_.records == JsonRecords::kWhole ? "" : " in one benchmark"),
                    0);
    }
    if (!open_.empty()) {
      open_.back().items.push_back(std::move(value));
      return true;
    }
    values_ = 0;
    const std::string name = layout_.records == JsonRecords::kTopMembers ? key_ : "";
    if (auto taken = take_(name, value); !taken) {
      error_ = std::move(taken).error();
      if (error_->hint.empty()) error_->hint = layout_.hint;
      return false;
    }
    return true;
  }

  bool Open(Kind kind) {
    if (depth_ == kJsonDepth) {
      return Refuse(fmt::format("nested deeper than {} levels", kJsonDepth), 0);
    }
    if (open_.empty() && !IsRecord()) {
      if (!CheckPlace(kind)) return false;
      if (depth_ == 1) inside_ = kind == Kind::kArray && key_ == layout_.key;
      ++depth_;
      return true;
    }
    ++depth_;
    open_.push_back({.kind = kind, .line = LineOf(0)});
    return true;
  }

  bool Close() {
    --depth_;
    if (depth_ == 1) inside_ = false;
    if (open_.empty()) return true;
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    if (const auto twin = FindTwin(value)) {
      error_ = JsonError(value.items[*twin].line,
                         Quoted(value.keys[*twin]) + " occurs twice in one object", layout_.hint);
      return false;
    }
    return TakeValue(std::move(value));
  }

  std::string_view text_;
  const JsonLayout& layout_;
  const TakeJsonRecord& take_;
  std::size_t taken_ = 0;    // characters that nlohmann's reader has read
  std::size_t counted_ = 0;  // characters whose newlines have been counted in line_
  std::size_t line_;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;  // of the current record
  std::string key_;         // at depth 1
  bool inside_ = false;     // inside the array of kNamedArray
  bool found_ = false;
  std::set<std::string> names_;
  std::vector<JsonValue> open_;  // open containers of the current record
  std::optional<Error> error_;
};

}  // namespace

const JsonValue* JsonValue::Find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Error JsonError(std::size_t line, const std::string& why, std::string_view hint) {
  return Error{ErrorCode::kInvalidArgument, fmt::format("line {}: {}", line, why),
               std::string(hint)};
}

Result<void> ReadJsonRecords(std::string_view text, const JsonLayout& layout,
                             const TakeJsonRecord& take) {
  return RecordReader(text, layout, take).Read();
}

Result<std::string> RequiredText(const JsonValue& object, std::string_view key) {
  const JsonValue* found = object.Find(key);
  if (found == nullptr) {
    return JsonError(object.line, "missing string " + Quoted(key));
  }
  if (found->kind != Kind::kString) {
    return JsonError(found->line, Quoted(key).append(" is ").append(NameOf(found->kind)) +
                                      ", expected a string");
  }
  return found->text;
}

Result<PrintedNumber> RequiredNumber(const JsonValue& object, std::string_view key) {
  const JsonValue* found = object.Find(key);
  if (found == nullptr) {
    return JsonError(object.line, "missing number " + Quoted(key));
  }
  return AsNumber(*found, Quoted(key));
}

Result<const JsonValue*> RequiredList(const JsonValue& object, std::string_view key) {
  const JsonValue* const found = object.Find(key);
  if (found == nullptr) {
    return JsonError(object.line, "missing array " + Quoted(key));
  }
  if (found->kind != Kind::kArray) {
    return JsonError(found->line, Quoted(key).append(" is ").append(NameOf(found->kind)) +
                                      ", expected an array");
  }
  return found;
}

bool IsAbsent(const JsonValue* value) { return value == nullptr || value->kind == Kind::kNull; }

Result<PrintedNumber> AsNumber(const JsonValue& value, const std::string& what) {
  if (value.kind == Kind::kNumber) return value.number;
  const std::string found =
      value.kind == Kind::kString ? Quoted(value.text) : std::string(NameOf(value.kind));
  return JsonError(value.line, what + " is " + found + ", expected a number");
}

}  // namespace benchd
