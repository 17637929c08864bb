#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/parse/number.h"

namespace benchd {

/// A value of a JSON text that still knows its line and how its number was printed.
///
/// nlohmann::json itself keeps neither, and of a member that is there twice it silently takes the
/// last: a measurement needs the line for its error, the last decimal for its resolution.
struct JsonValue {
  enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::size_t line = 0;  ///< from 1; of a container: of its opening bracket
  bool boolean = false;
  PrintedNumber number = {};
  std::string text = {};               ///< cut after kJsonTextBytes
  std::vector<JsonValue> items = {};   ///< of an array, or the values of an object's members
  std::vector<std::string> keys = {};  ///< of an object's members, each once

  /// That member, or nullptr; also when this is no object.
  const JsonValue* Find(std::string_view key) const;
};

/// Deepest nesting that is read; no harness comes near it.
inline constexpr std::size_t kJsonDepth = 64;
/// Most values in one record; with them a record takes some 50 MiB.
inline constexpr std::size_t kJsonRecordValues = 400'000;
/// What is kept of a text: above any name that is taken.
inline constexpr std::size_t kJsonTextBytes = 4096;

/// Where a harness' records stand in its JSON.
enum class JsonRecords {
  kTopArray,    ///< [RECORD, ...]
  kTopMembers,  ///< {"NAME": RECORD, ...}
  kNamedArray,  ///< {..., "KEY": [RECORD, ...], ...}
};

struct JsonLayout {
  JsonRecords records = JsonRecords::kTopArray;
  std::string_view key = {};  ///< for kNamedArray
  /// How the user gets this format, for the errors.
  std::string_view hint;
};

/// Takes one record; `name` is that of kTopMembers, else empty.
using TakeJsonRecord = std::function<Result<void>(const std::string& name, const JsonValue&)>;

/// Reads a JSON text and hands over one record after the other: of all that stands around them only
/// the syntax is looked at, so memory is that of one record. No recursion. Pure; any thread.
///
/// @errors kInvalidArgument "line 3: ..." for what is no JSON (NaN, invalid UTF-8, the end too
///         early), nested over kJsonDepth, a member twice, a record over kJsonRecordValues, another
///         layout; "the output is empty"; what `take` returns. With the layout's hint where there
///         is none.
Result<void> ReadJsonRecords(std::string_view text, const JsonLayout& layout,
                             const TakeJsonRecord& take);

/// kInvalidArgument "line 3: WHY"; without a hint ReadJsonRecords() adds that of the layout.
Error JsonError(std::size_t line, const std::string& why, std::string_view hint = {});

/// What a record must have, for the readers of harness formats. All errors name line and member.
Result<std::string> RequiredText(const JsonValue& object, std::string_view key);
Result<PrintedNumber> RequiredNumber(const JsonValue& object, std::string_view key);
/// `value` itself as a number; `what` names it: "time 3 of 'sleep'".
Result<PrintedNumber> AsNumber(const JsonValue& value, const std::string& what);

}  // namespace benchd
