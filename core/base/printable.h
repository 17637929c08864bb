#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace benchd {

// Functions that find and escape the parts of a text that a terminal cannot show. Pure; callable
// from any thread.

/// Returns the length in bytes of the well-formed UTF-8 character at the start of `text` (Unicode
/// 15, table 3-7), or 0 if there is none.
std::size_t WellFormedLength(std::string_view text);

/// Like WellFormedLength(), but returns 1 for a byte that does not start a well-formed character.
/// `text` must not be empty.
std::size_t CharacterLength(std::string_view text);

/// Returns the code point of one complete character in valid UTF-8.
char32_t CodePointOf(std::string_view character);

/// Returns the length in bytes of the control character at the start of `text`, or 0 if there is
/// none. All code that shows untrusted text uses this definition.
///
/// Control characters are those of ASCII, DEL, C1 (U+0080 to U+009F), the line and paragraph
/// separators (U+2028, U+2029), and the bidirectional controls (Bidi_Control of Unicode 15,
/// PropList.txt), which change how the text after them is shown. A C1 control also counts as a
/// single byte outside valid UTF-8, because terminals without UTF-8 obey it.
std::size_t ControlLength(std::string_view text);

/// Replaces each control character in `text` by the result of `instead` for it. The characters in
/// `allowed` (ASCII only) are kept.
std::string WithoutControls(std::string_view text,
                            const std::function<std::string(std::string_view)>& instead,
                            std::string_view allowed = {});

}  // namespace benchd
