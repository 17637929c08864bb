#include "core/base/time.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

void FuzzTimestamp(std::string_view input) {
  const auto time = ParseRfc3339(input);
  if (!time) {
    CheckMessage(time.error().message);
    return;
  }
  const auto again = ParseRfc3339(FormatRfc3339(*time));
  FUZZ_CHECK(again && *again == *time);
}

}  // namespace benchd::fuzz
