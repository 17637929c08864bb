#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/text.h"

namespace benchd {

/// A text on one line: control characters and bytes that are not UTF-8 are escaped, and the end of
/// a long text is left out.
inline std::string Shown(std::string_view text) {
  constexpr std::size_t kMost = 320;
  const bool readable = !FirstInvalidUtf8(text) && text.find("\xEF\xBB\xBF") == text.npos;
  std::string shown;
  for (const char c : text.substr(0, 2 * kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\r') {
      shown += "\\r";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !readable)) {
      shown += "\\x" + ToHex(std::string_view(&c, 1));
    } else {
      shown += c;
    }
  }
  if (shown.size() <= kMost) return shown;
  return std::string(Utf8Prefix(shown, kMost)) + "...";
}

/// What a file of golden/wording/ has about a text that was refused: the text and the error.
inline std::string RefusalOf(std::string_view text, const Error& error) {
  std::string refusal =
      "input '" + Shown(text) + "'\n" + std::string(NameOf(error.code)) + ": " + error.message;
  if (!error.hint.empty()) refusal += "\n  hint: " + error.hint;
  return refusal;
}

}  // namespace benchd
