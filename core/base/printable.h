#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace benchd {

// What of a text can be shown on a terminal, and how the rest is told instead. Pure; any thread.

/// Bytes of the well-formed UTF-8 character that `text` begins with (Unicode 15, table 3-7); 0 when
/// it begins with none.
std::size_t WellFormedLength(std::string_view text);

/// The same with 1 for a byte that is no part of any; `text` is not empty.
std::size_t CharacterLength(std::string_view text);

/// The code point of one whole character in valid UTF-8.
char32_t CodePointOf(std::string_view character);

/// Bytes of the control character that `text` begins with, 0 when it begins with another one. The
/// one place that knows them; whatever shows foreign text asks here.
///
/// Those are ASCII's, DEL, C1 (U+0080 to U+009F; also as a byte that is no part of valid UTF-8,
/// which terminals without UTF-8 obey), the separators of lines and paragraphs (U+2028, U+2029),
/// and what turns the direction of the text behind it (Bidi_Control of Unicode 15, PropList.txt):
/// they change how text is shown that is not theirs.
std::size_t ControlLength(std::string_view text);

/// `text` with what `instead` makes of each control character that is not one of `allowed`, which
/// are ASCII's.
std::string WithoutControls(std::string_view text,
                            const std::function<std::string(std::string_view)>& instead,
                            std::string_view allowed = {});

/// ShellQuoted() for a line that somebody sees and pastes: with control characters, or bytes that
/// are no UTF-8, the word is $'...' with these as escapes. bash, zsh, ksh and POSIX.1-2024 read
/// that; elsewhere such a word cannot be written without them.
std::string PastedWord(std::string_view word);

}  // namespace benchd
