#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace benchd
