#include <string>
#include <vector>

#include "core/parse/command_line.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

void FuzzCommandLine(std::string_view input) {
  const auto words = SplitCommandLine(input);
  if (!words) {
    CheckMessage(words.error().message);
    return;
  }
  FUZZ_CHECK(!words->empty() && !words->front().empty());
  std::string quoted;
  for (const std::string& word : *words) {
    FUZZ_CHECK(word.find('\0') == std::string::npos);
    quoted.append("'");
    for (const char c : word) quoted.append(c == '\'' ? "'\\''" : std::string(1, c));
    quoted.append("' ");
  }
  if (quoted.size() > kMaxCommandBytes) return;
  const auto again = SplitCommandLine(quoted);
  FUZZ_CHECK(again && *again == *words);
}

}  // namespace benchd::fuzz
