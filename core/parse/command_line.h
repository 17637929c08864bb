#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Longest command string accepted: the kernel's limit for one argument (MAX_ARG_STRLEN, which
/// includes the terminating NUL), because `sh -c` receives the whole command as one.
inline constexpr std::size_t kMaxCommandBytes = 128 * 1024 - 1;

/// Splits a command by the quoting rules of a POSIX shell: whitespace separates words; '...' keeps
/// everything; "..." keeps all but \" \\ \$ \` and backslash-newline; a bare backslash keeps the
/// next character, and is removed together with a following newline. Nothing is expanded. Unquoted
/// text with a special meaning to a shell is rejected anywhere in a word, because the command would
/// not measure what was meant: `./slowcat <big` would run slowcat without its input. Within quotes,
/// including double quotes, everything is plain text, as needed for arguments to a nested
/// `sh -c "..."`. Pure; any thread.
///
/// @errors kInvalidArgument "command: ...": empty (also an empty first word), an unbalanced quote
///         (with its column, in characters from 1), a NUL byte, a trailing backslash, longer than
///         kMaxCommandBytes; unquoted redirections, pipes, lists, subshells, $NAME and $(...),
///         backticks, globs, {a,b} and {1..3}, ~ or # at the beginning of a word; a newline between
///         words, which ends a command; an assignment before the program.
Result<std::vector<std::string>> SplitCommandLine(std::string_view command);

}  // namespace benchd
