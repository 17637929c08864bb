#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/result.h"

namespace benchd {

/// Longest command string that is taken: the kernel's limit for one argument (MAX_ARG_STRLEN).
inline constexpr std::size_t kMaxCommandBytes = 128 * 1024;

/// Splits a command by the quoting rules of a POSIX shell: white space separates, '...' keeps
/// everything, "..." keeps all but \" \\ \$ \` and backslash-newline, a bare backslash keeps the next
/// character. Nothing is expanded: $HOME, *, ~ and | are ordinary characters (use --shell for those).
///
/// @errors kInvalidArgument: empty, an unbalanced quote (its column), a NUL byte, a trailing
///         backslash, longer than kMaxCommandBytes.
Result<std::vector<std::string>> SplitCommandLine(std::string_view command);

}  // namespace benchd
