#pragma once

#include <string>
#include <string_view>

namespace benchd {

/// Quotes `word` as one word for a POSIX shell without changing its bytes. Use it for text that
/// programs read, and PastedWord() for lines that users see.
std::string ShellQuoted(std::string_view word);

/// Quotes a word like ShellQuoted(), but for a line that users see and paste. A word with control
/// characters or invalid UTF-8 becomes $'...' with these bytes escaped, which bash, zsh, ksh and
/// POSIX.1-2024 accept. Other shells lack a printable notation for such a word.
std::string PastedWord(std::string_view word);

}  // namespace benchd
