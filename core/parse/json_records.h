#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/parse/number.h"

namespace benchd {

/// A value of a JSON text that keeps its line and its number as printed.
///
/// nlohmann::json keeps neither, and silently takes the last of duplicate members. A measurement
/// needs the line for its error and the last decimal for its resolution.
struct JsonValue {
  enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::size_t line = 0;  ///< from 1; for a container, that of its opening bracket
  bool boolean = false;
  PrintedNumber number = {};
  std::string text = {};               ///< truncated after kJsonTextBytes
  std::vector<JsonValue> items = {};   ///< of an array, or the values of an object's members
  std::vector<std::string> keys = {};  ///< of an object's members, all distinct

  /// The member with that key, or nullptr; also if this is not an object.
  const JsonValue* Find(std::string_view key) const;
};

/// Deepest nesting accepted; no harness comes near it.
inline constexpr std::size_t kJsonDepth = 64;
/// Most values in one record, which then takes about 50 MiB.
inline constexpr std::size_t kJsonRecordValues = 400'000;
/// Bytes kept of a text; more than any accepted name has.
inline constexpr std::size_t kJsonTextBytes = 4096;

/// The location of a harness's records in its JSON.
enum class JsonRecords {
  kTopArray,    ///< [RECORD, ...]
  kTopMembers,  ///< {"NAME": RECORD, ...}
  kNamedArray,  ///< {..., "KEY": [RECORD, ...], ...}
};

struct JsonLayout {
  JsonRecords records = JsonRecords::kTopArray;
  std::string_view key = {};  ///< for kNamedArray
  /// How to produce this format, for the errors.
  std::string_view hint;
};

/// Processes one record; `name` is the key for kTopMembers, else empty.
using TakeJsonRecord = std::function<Result<void>(const std::string& name, const JsonValue&)>;

/// Reads a JSON text and passes on each record. Around the records it checks only the syntax, so it
/// uses the memory of one record. No recursion. Pure; any thread.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON (NaN, invalid UTF-8,
///         truncated), nested deeper than kJsonDepth, with a duplicate member, a record over
///         kJsonRecordValues, or another layout; "the output is empty"; errors of `take`. Errors
///         without a hint get that of the layout.
Result<void> ReadJsonRecords(std::string_view text, const JsonLayout& layout,
                             const TakeJsonRecord& take);

/// kInvalidArgument "line 3: WHY"; without a hint, ReadJsonRecords() adds that of the layout.
Error JsonError(std::size_t line, const std::string& why, std::string_view hint = {});

/// Required members of a record, for readers of harness formats. All errors name line and member.
Result<std::string> RequiredText(const JsonValue& object, std::string_view key);
Result<PrintedNumber> RequiredNumber(const JsonValue& object, std::string_view key);
/// `value` itself as a number; `what` describes it: "time 3 of 'sleep'".
Result<PrintedNumber> AsNumber(const JsonValue& value, const std::string& what);

}  // namespace benchd
