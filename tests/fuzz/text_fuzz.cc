#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "client/present/text.h"
#include "core/base/printable.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/parse/measurement_table.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

// Parses a word of PastedWord() as a shell does: POSIX.1-2024, 2.2.2 and 2.2.4.
std::string AsTheShellReads(std::string_view quoted) {
  const bool escapes = quoted.starts_with("$'");
  if (escapes) quoted.remove_prefix(1);
  bool inside = false;
  std::string word;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\'') {
      inside = !inside;
    } else if (quoted[i] != '\\' || (inside && !escapes)) {
      word += quoted[i];
    } else if (const char next = quoted[++i]; inside && next >= '0' && next <= '3') {
      const std::string digits(quoted.substr(i, 3));
      word += static_cast<char>(std::strtol(digits.c_str(), nullptr, 8));
      i += 2;
    } else {
      word += inside && next == 'n' ? '\n' : inside && next == 't' ? '\t' : next;
    }
  }
  return word;
}

void CheckHarmless(std::string_view text) { FUZZ_CHECK(!HasControlCharacter(text)); }

}  // namespace

void FuzzText(std::string_view input) {
  const std::string text(input.substr(0, input.find('\0')));
  CheckHarmless(OnOneLine(text));
  CheckHarmless(Quoted(text));
  FUZZ_CHECK(!FirstInvalidUtf8(Quoted(Utf8Lossy(text))));
  CheckHarmless(client::Printable(text));
  CheckHarmless(client::OneLine(text));
  FUZZ_CHECK(HasControlCharacter(text) || client::Printable(text) == text);
  const std::string word = PastedWord(text);
  CheckHarmless(word);
  FUZZ_CHECK(!FirstInvalidUtf8(word));
  FUZZ_CHECK(AsTheShellReads(word) == text);
  FUZZ_CHECK(AsTheShellReads(ShellQuoted(text)) == text);
  FUZZ_CHECK(UnguardedName(GuardedName(text)) == text);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = CharacterLength(std::string_view(text).substr(at));
    FUZZ_CHECK(length >= 1 && length <= 4 && at + length <= text.size());
    at += length;
  }
}

}  // namespace benchd::fuzz
