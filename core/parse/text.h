#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Offset of the first byte that is not part of well-formed UTF-8 (no overlong forms, surrogates or
/// code points over U+10FFFF; Unicode 15, table 3-7); none when all of `text` is.
std::optional<std::size_t> FirstInvalidUtf8(std::string_view text);

/// True when `text` has an ASCII control character that is not one of `allowed`.
bool HasControlCharacter(std::string_view text, std::string_view allowed = {});

/// `text` in single quotes as an error message shows it: on one line, control characters and bytes
/// that are not UTF-8 as \xNN, cut after 60 bytes.
std::string Quoted(std::string_view text);

/// `text` with a space for every ASCII control character: a foreign message on one line.
std::string OnOneLine(std::string_view text);

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
