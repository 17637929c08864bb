#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace benchd {

// Which parts of a text a terminal can show, and how to escape the rest. Pure; any thread.

/// Length in bytes of the well-formed UTF-8 character at the start of `text` (Unicode 15, table
/// 3-7); 0 if there is none.
std::size_t WellFormedLength(std::string_view text);

/// The same, but 1 for a byte that does not start a well-formed character; `text` is not empty.
std::size_t CharacterLength(std::string_view text);

/// The code point of one complete character in valid UTF-8.
char32_t CodePointOf(std::string_view character);

/// Length in bytes of the control character at the start of `text`; 0 if there is none. All code
/// that shows untrusted text uses this definition.
///
/// Control characters are those of ASCII, DEL, C1 (U+0080 to U+009F, also as a single byte outside
/// valid UTF-8, which terminals without UTF-8 obey), the line and paragraph separators (U+2028,
/// U+2029), and the bidirectional controls (Bidi_Control of Unicode 15, PropList.txt), which change
/// how the text after them is shown.
std::size_t ControlLength(std::string_view text);

/// Replaces each control character in `text` by what `instead` returns for it, except those in
/// `allowed` (ASCII only).
std::string WithoutControls(std::string_view text,
                            const std::function<std::string(std::string_view)>& instead,
                            std::string_view allowed = {});

/// ShellQuoted() for a line that users see and paste. A word with control characters or invalid
/// UTF-8 becomes $'...' with these bytes escaped, which bash, zsh, ksh and POSIX.1-2024 accept.
/// Other shells have no printable notation for such a word.
std::string PastedWord(std::string_view word);

}  // namespace benchd
