#include <string>
#include <vector>

#include "daemon/parse/command_line.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchd;
  const auto words = SplitCommandLine(fuzz::AsText(data, size));
  if (!words) {
    fuzz::CheckMessage(words.error().message);
    return 0;
  }
  FUZZ_CHECK(!words->empty() && !words->front().empty());
  std::string quoted;
  for (const std::string& word : *words) {
    FUZZ_CHECK(word.find('\0') == std::string::npos);
    quoted.append("'");
    for (const char c : word) quoted.append(c == '\'' ? "'\\''" : std::string(1, c));
    quoted.append("' ");
  }
  if (quoted.size() > kMaxCommandBytes) return 0;
  const auto again = SplitCommandLine(quoted);
  FUZZ_CHECK(again && *again == *words);
  return 0;
}
