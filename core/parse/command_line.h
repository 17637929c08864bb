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
/// next character and, before a newline, disappears with it. Nothing is expanded: $HOME, *, ~ and #
/// are ordinary characters (use --shell for those). Pure; any thread.
///
/// @errors kInvalidArgument "command: ...": empty (also an empty first word), an unbalanced quote
///         (its column, in characters from 1), a NUL byte, a trailing backslash, longer than
///         kMaxCommandBytes, an unquoted word that is exactly > >> < | && || ; or 2>&1.
Result<std::vector<std::string>> SplitCommandLine(std::string_view command);

}  // namespace benchd
