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

// What sentences, messages and lists are made of. Pure; any thread.

/// Offset of the first byte that is not part of well-formed UTF-8 (no overlong forms, surrogates or
/// code points over U+10FFFF; Unicode 15, table 3-7); none when all of `text` is.
std::optional<std::size_t> FirstInvalidUtf8(std::string_view text);

/// `bytes` with every byte that is no part of valid UTF-8 replaced by U+FFFD.
///
/// What programs print is bytes; a protobuf string that is not UTF-8 cannot be read by the client.
std::string Utf8Lossy(std::string_view bytes);

/// The first `limit` bytes of `text` at most, cut between two characters; `text` is valid UTF-8.
std::string_view Utf8Prefix(std::string_view text, std::size_t limit);

/// The same from the end.
std::string_view Utf8Suffix(std::string_view text, std::size_t limit);

/// True when `text` has a control character (printable.h) that is not one of `allowed`, which are
/// ASCII's.
bool HasControlCharacter(std::string_view text, std::string_view allowed = {});

/// `text` in single quotes as an error message shows it: on one line, control characters and bytes
/// that are not UTF-8 as \xNN, cut after 60 bytes.
std::string Quoted(std::string_view text);

/// `text` with a space for every control character: a foreign message on one line.
std::string OnOneLine(std::string_view text);

/// Two hexadecimal digits a byte, in lower case.
std::string ToHex(std::string_view bytes);
std::string ToHex(std::span<const std::uint8_t> bytes);

/// `word` as one word of a POSIX shell, its bytes as they are: for programs. PastedWord()
/// (printable.h) is for lines that somebody sees.
std::string ShellQuoted(std::string_view word);

/// "1 block", "12 blocks".
std::string Counted(std::uint64_t count, std::string_view one);
/// The same for a plural without s: Counted(2, "retry", "retries").
std::string Counted(std::uint64_t count, std::string_view one, std::string_view many);

/// The items, each as `text` says it, with `between` between them: "a, b".
///
/// @param last  stands in place of `between` before the last one: "a, b or c"
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

/// The name that somebody who typed `typed` most likely meant, or "" when none is near: one that
/// begins so (three letters at least), or with at most two letters inserted, left out, changed or
/// swapped, and fewer than half of the word.
std::string Nearest(std::string_view typed, std::span<const std::string_view> names);

/// What to do about a word that is none of `known`: "did you mean paired?", or `otherwise` where
/// none is near.
///
/// @param before  stands before the word that is meant, such as "--"
std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known,
                           std::string_view otherwise, std::string_view before = {});
/// The same with "write a, b or c" where none is near.
std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known);

/// `text` without the mark that some editors and shells put before UTF-8.
std::string_view WithoutByteOrderMark(std::string_view text);

/// Longest line that ForEachLine() takes, without its newline.
inline constexpr std::size_t kMaxLineBytes = 64 * 1024;

/// Calls `take(line)` for each line of a text, without its newline.
///
/// @errors kInvalidArgument "line 3: ..." for a line over kMaxLineBytes or that is no UTF-8, and
///         what `take` returns, with the line in front; with `hint` where there is none.
Result<void> ForEachLine(std::string_view text, std::string_view hint,
                         const std::function<Result<void>(std::string_view)>& take);

/// The words of a line, separated by blanks, tabs and carriage returns.
std::vector<std::string_view> WordsOf(std::string_view line);

}  // namespace benchd
