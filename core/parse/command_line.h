#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The maximum length of a command. It is the kernel's limit for one argument (MAX_ARG_STRLEN,
/// which includes the terminating NUL), because `sh -c` receives the whole command as one argument.
inline constexpr std::size_t kMaxCommandBytes = 128 * 1024 - 1;

/// Splits a command by the quoting rules of a POSIX shell. Whitespace separates words. '...' keeps
/// all characters; "..." keeps all but \" \\ \$ \` and backslash-newline. An unquoted backslash
/// keeps the next character, but backslash-newline is removed. Nothing is expanded.
///
/// Unquoted text with a special meaning to a shell is rejected anywhere in a word, because the
/// wrong program would be measured: `./slowcat <big` would run slowcat without its input. Within
/// quotes, including double quotes, all text is plain, as needed for arguments to a nested
/// `sh -c "..."`. Pure and thread-safe.
///
/// @errors kInvalidArgument "command: ..." for a command that is empty, has an empty first word, or
///         is longer than kMaxCommandBytes; an unbalanced quote (with its column, in characters
///         from 1); a NUL byte; a trailing backslash; unquoted redirections, pipes, lists,
///         subshells, $NAME, $(...), backticks, globs, {a,b} and {1..3}; an unquoted ~ or # at the
///         beginning of a word; a newline between words, which would end the command; an assignment
///         before the program.
Result<std::vector<std::string>> SplitCommandLine(std::string_view command);

}  // namespace benchd
