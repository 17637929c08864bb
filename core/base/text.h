#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

// Functions that build messages and lists. Pure; callable from any thread.

/// Returns the offset of the first byte that is not part of well-formed UTF-8, or std::nullopt if
/// all of `text` is well-formed. Overlong forms, surrogates and code points above U+10FFFF are not
/// well-formed (Unicode 15, table 3-7).
std::optional<std::size_t> FirstInvalidUtf8(std::string_view text);

/// Returns `bytes` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
///
/// Programs print arbitrary bytes, but a client cannot read a protobuf string that is not UTF-8.
std::string Utf8Lossy(std::string_view bytes);

/// Returns at most the first `limit` bytes of `text` without splitting a character. `text` must be
/// valid UTF-8.
std::string_view Utf8Prefix(std::string_view text, std::size_t limit);

/// Returns at most the last `limit` bytes of `text` in the same way.
std::string_view Utf8Suffix(std::string_view text, std::size_t limit);

/// Returns whether `text` contains a control character (printable.h) other than those in `allowed`
/// (ASCII only).
bool HasControlCharacter(std::string_view text, std::string_view allowed = {});

/// Returns `text` in single quotes for an error message. The result is one line: control characters
/// and bytes that are not UTF-8 are written as \xNN, and `text` is truncated after 60 bytes.
std::string Quoted(std::string_view text);

/// Replaces every control character in `text` by a space, to put an untrusted message on one line.
std::string OnOneLine(std::string_view text);

/// Formats each byte as two lower-case hexadecimal digits.
std::string ToHex(std::string_view bytes);
std::string ToHex(std::span<const std::uint8_t> bytes);
/// Returns whether the text consists of lower-case hexadecimal digits, or is empty.
bool IsHex(std::string_view text);

/// Returns a count with its noun: "1 block", "12 blocks".
std::string Counted(std::uint64_t count, std::string_view one);
/// Returns a count with a noun whose plural is irregular: Counted(2, "retry", "retries").
std::string Counted(std::uint64_t count, std::string_view one, std::string_view many);

/// Joins the items, each formatted by `text`, with `between` as the separator: "a, b".
///
/// @param last  replaces `between` before the last item: "a, b or c"
template <typename Items, typename Text = std::identity>
std::string Join(const Items& items, std::string_view between, Text text = {},
                 std::optional<std::string_view> last = {}) {
  const auto size = static_cast<std::size_t>(std::size(items));
  std::string joined;
  std::size_t index = 0;
  for (const auto& item : items) {
    if (index > 0) joined += index + 1 == size ? last.value_or(between) : between;
    joined += std::invoke(text, item);
    ++index;
  }
  return joined;
}

/// Lists the first five items: "a, b, c, d, e and 7 more".
std::string SomeOf(std::span<const std::string> items);

/// Joins the items to a list of alternatives: "a, b or c".
template <typename Items>
std::string JoinWithOr(const Items& items) {
  return Join(items, ", ", std::identity(), " or ");
}

/// Returns the name that a user who typed `typed` most likely meant, or "" if no name is close. A
/// name is close if it starts with `typed` (at least three letters), or if at most two letters, and
/// fewer than half of the word, were inserted, omitted, changed or swapped.
std::string Nearest(std::string_view typed, std::span<const std::string_view> names);

/// Returns the hint for a word that is not in `known`: "did you mean paired?", or `otherwise` if no
/// known word is close.
///
/// @param before  precedes the suggested word, such as "--"
std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known,
                           std::string_view otherwise, std::string_view before = {});
/// Returns the same hint, but "write a, b or c" if no known word is close.
std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known);

/// Returns `text` without the byte order mark that some editors and shells put before UTF-8.
std::string_view WithoutByteOrderMark(std::string_view text);

/// Returns `line` without the carriage return at its end, which a file with the line ends of
/// Windows has.
std::string_view WithoutReturn(std::string_view line);

/// The length of the longest line that ForEachLine() accepts, without its newline.
inline constexpr std::size_t kMaxLineBytes = 64 * 1024;

/// Calls `take(line)` for each line of `text`, without its newline, until a call fails.
///
/// @errors kInvalidArgument "line 3: ..." for a line that is longer than kMaxLineBytes or is not
///         UTF-8, and the errors of `take` with the same prefix. An error without a hint gets
///         `hint`.
Result<void> ForEachLine(std::string_view text, std::string_view hint,
                         const std::function<Result<void>(std::string_view)>& take);

/// Splits a line into words, which are separated by spaces, tabs and carriage returns.
std::vector<std::string_view> WordsOf(std::string_view line);

}  // namespace benchd
