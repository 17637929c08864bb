#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Longest command string that is taken: the kernel's limit for one argument (MAX_ARG_STRLEN, which
/// counts the ending NUL), because `sh -c` gets the whole command as one.
inline constexpr std::size_t kMaxCommandBytes = 128 * 1024 - 1;

/// Splits a command by the quoting rules of a POSIX shell: white space separates, '...' keeps
/// everything, "..." keeps all but \" \\ \$ \` and backslash-newline, a bare backslash keeps the
/// next character and, before a newline, disappears with it. Nothing is expanded. Unquoted text
/// that means something else to a shell is refused wherever it stands in a word, because what would
/// be measured is not what was meant: `./slowcat <big` is a slowcat without its input. Inside
/// quotes, double ones too, everything is text, as what is handed to a `sh -c "..."` of the
/// command's own needs it. Pure; any thread.
///
/// @errors kInvalidArgument "command: ...": empty (also an empty first word), an unbalanced quote
///         (its column, in characters from 1), a NUL byte, a trailing backslash, longer than
///         kMaxCommandBytes; unquoted redirections, pipes, lists, subshells, $NAME and $(...),
///         backticks, globs, {a,b} and {1..3}, ~ or # at the beginning of a word; a newline between
///         words, which ends a command; an assignment before the program.
Result<std::vector<std::string>> SplitCommandLine(std::string_view command);

}  // namespace benchd
