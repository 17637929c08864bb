#include "core/base/shell_words.h"

#include <cstdint>

#include "core/base/printable.h"
#include "core/base/text.h"

namespace benchd {
namespace {

/// Returns octal escapes for $'...'. Each has three digits, because the next character may be a
/// digit.
std::string InOctal(std::string_view bytes) {
  std::string octal;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    octal += '\\';
    for (const unsigned shift : {6U, 3U, 0U}) {
      octal += static_cast<char>('0' + (byte >> shift & 7U));
    }
  }
  return octal;
}

}  // namespace

std::string ShellQuoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string PastedWord(std::string_view word) {
  if (!FirstInvalidUtf8(word) && !HasControlCharacter(word)) return ShellQuoted(word);
  std::string quoted = "$'";
  while (!word.empty()) {
    const std::string_view character = word.substr(0, CharacterLength(word));
    if (character == "\n") {
      quoted += "\\n";
    } else if (character == "\t") {
      quoted += "\\t";
    } else if (WellFormedLength(word) == 0 || ControlLength(word) > 0) {
      quoted += InOctal(character);
    } else {
      if (character == "'" || character == "\\") quoted += '\\';
      quoted += character;
    }
    word.remove_prefix(character.size());
  }
  return quoted + "'";
}

}  // namespace benchd
