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

// Building blocks of sentences, messages and lists. Pure; any thread.

/// Offset of the first byte that is not part of well-formed UTF-8 (no overlong forms, surrogates or
/// code points over U+10FFFF; Unicode 15, table 3-7); std::nullopt if all of `text` is well-formed.
std::optional<std::size_t> FirstInvalidUtf8(std::string_view text);

/// `bytes` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
///
/// Programs print arbitrary bytes, but a client cannot read a protobuf string that is not UTF-8.
std::string Utf8Lossy(std::string_view bytes);

/// The first `limit` bytes of `text` at most, never splitting a character; `text` is valid UTF-8.
std::string_view Utf8Prefix(std::string_view text, std::size_t limit);

/// The same for the last bytes of `text`.
std::string_view Utf8Suffix(std::string_view text, std::size_t limit);

/// Whether `text` contains a control character (printable.h) other than those in `allowed` (ASCII
/// only).
bool HasControlCharacter(std::string_view text, std::string_view allowed = {});

/// `text` in single quotes for an error message: on one line, with control characters and bytes
/// that are not UTF-8 as \xNN, truncated after 60 bytes.
std::string Quoted(std::string_view text);

/// `text` with a space for every control character: puts an untrusted message on one line.
std::string OnOneLine(std::string_view text);

/// Two lower-case hexadecimal digits per byte.
std::string ToHex(std::string_view bytes);
std::string ToHex(std::span<const std::uint8_t> bytes);

/// `word` quoted as one word for a POSIX shell, its bytes unchanged: for programs to read.
/// PastedWord() (printable.h) is for lines that users see.
std::string ShellQuoted(std::string_view word);

/// "1 block", "12 blocks".
std::string Counted(std::uint64_t count, std::string_view one);
/// The same for an irregular plural: Counted(2, "retry", "retries").
std::string Counted(std::uint64_t count, std::string_view one, std::string_view many);

/// The items, each formatted by `text`, separated by `between`: "a, b".
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

/// "a, b or c".
template <typename Items>
std::string JoinWithOr(const Items& items) {
  return Join(items, ", ", std::identity(), " or ");
}

/// The name that a user who typed `typed` most likely meant, or "" if none is close. A name is
/// close if it starts with `typed` (at least three letters), or if at most two letters, and fewer
/// than half of the word, were inserted, omitted, changed or swapped.
std::string Nearest(std::string_view typed, std::span<const std::string_view> names);

/// The hint for a word that is not in `known`: "did you mean paired?", or `otherwise` if no known
/// word is close.
///
/// @param before  precedes the suggested word, such as "--"
std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known,
                           std::string_view otherwise, std::string_view before = {});
/// The same with "write a, b or c" if no known word is close.
std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known);

/// `text` without the byte order mark that some editors and shells put before UTF-8.
std::string_view WithoutByteOrderMark(std::string_view text);

/// Longest line that ForEachLine() accepts, without its newline.
inline constexpr std::size_t kMaxLineBytes = 64 * 1024;

/// Calls `take(line)` for each line of `text`, without its newline, until one fails.
///
/// @errors kInvalidArgument "line 3: ..." for a line that is longer than kMaxLineBytes or is not
///         UTF-8, and errors of `take`, prefixed likewise. Each gets `hint` if it has none.
Result<void> ForEachLine(std::string_view text, std::string_view hint,
                         const std::function<Result<void>(std::string_view)>& take);

/// The words of a line, separated by blanks, tabs and carriage returns.
std::vector<std::string_view> WordsOf(std::string_view line);

}  // namespace benchd
