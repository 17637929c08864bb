#include "daemon/base/time.h"
#include "daemon/parse/timestamp.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto time = benchd::ParseRfc3339(benchd::fuzz::AsText(data, size));
  if (!time) {
    benchd::fuzz::CheckMessage(time.error().message);
    return 0;
  }
  const auto again = benchd::ParseRfc3339(benchd::FormatRfc3339(*time));
  FUZZ_CHECK(again && *again == *time);
  return 0;
}
