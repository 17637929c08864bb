#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/harness_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  benchd::fuzz::CheckHarness("bmf", benchd::fuzz::AsText(data, size));
  return 0;
}
