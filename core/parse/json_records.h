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
/// nlohmann::json keeps neither, and silently takes the last of duplicate members. The line is
/// needed for errors, and the last decimal for the resolution of a measurement.
struct JsonValue {
  enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::size_t line = 0;  ///< from 1; for a container, the line of its opening bracket
  bool boolean = false;
  PrintedNumber number = {};
  std::string text = {};               ///< truncated after kJsonTextBytes
  std::vector<JsonValue> items = {};   ///< of an array, or the values of an object's members
  std::vector<std::string> keys = {};  ///< of an object's members, all distinct

  /// Returns the member with the given key, or nullptr if there is none or this is not an object.
  const JsonValue* Find(std::string_view key) const;
};

/// The maximum depth of nesting, far more than any harness uses.
inline constexpr std::size_t kJsonDepth = 64;
/// The maximum number of values in one record. A record of that size takes about 50 MiB.
inline constexpr std::size_t kJsonRecordValues = 400'000;
/// The number of bytes of a string that are kept, more than any accepted name has.
inline constexpr std::size_t kJsonTextBytes = 4096;

/// The location of a harness's records in its JSON.
enum class JsonRecords {
  kTopArray,    ///< [RECORD, ...]
  kTopMembers,  ///< {"NAME": RECORD, ...}
  kNamedArray,  ///< {..., "KEY": [RECORD, ...], ...}
  kWhole,       ///< the whole text is one record
  kDocuments,   ///< RECORD RECORD ..., each a JSON text, such as one per line; of any kind
};

struct JsonLayout {
  JsonRecords records = JsonRecords::kTopArray;
  std::string_view key = {};  ///< for kNamedArray
  /// A hint for the errors: how to produce this format.
  std::string_view hint;
  std::size_t first_line = 1;  ///< number of the text's first line, if it is part of another text
};

/// A function that processes one record. `name` is the key for kTopMembers, else empty.
using TakeJsonRecord = std::function<Result<void>(const std::string& name, const JsonValue&)>;

/// Reads a JSON text and passes on each record. Only the syntax is checked outside the records, so
/// no more memory is needed than for one record. Does not recurse. Pure and thread-safe.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON (NaN, invalid UTF-8,
///         truncated), is nested deeper than kJsonDepth, has a duplicate member, a record of more
///         than kJsonRecordValues values, or another layout; "the output is empty"; errors of
///         `take`. Errors without a hint get the hint of the layout.
Result<void> ReadJsonRecords(std::string_view text, const JsonLayout& layout,
                             const TakeJsonRecord& take);

/// Returns kInvalidArgument "line 3: WHY". If there is no hint, ReadJsonRecords() adds that of the
/// layout.
Error JsonError(std::size_t line, const std::string& why, std::string_view hint = {});

/// Returns a required member of a record, for readers of harness formats. Errors name the line and
/// the member.
Result<std::string> RequiredText(const JsonValue& object, std::string_view key);
Result<PrintedNumber> RequiredNumber(const JsonValue& object, std::string_view key);
Result<const JsonValue*> RequiredList(const JsonValue& object, std::string_view key);
/// Returns whether a member is missing or null.
bool IsAbsent(const JsonValue* value);
/// Returns `value` itself as a number. `what` describes it for the error: "time 3 of 'sleep'".
Result<PrintedNumber> AsNumber(const JsonValue& value, const std::string& what);

}  // namespace benchd
