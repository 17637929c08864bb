// libFuzzer's two entry points. The environment variable BENCHD_FUZZ selects the fuzzer.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzzers.h"

namespace {

const benchd::fuzz::NamedFuzzer* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*words*/) {
  const char* const name = std::getenv("BENCHD_FUZZ");
  chosen = benchd::fuzz::FindFuzzer(name == nullptr ? "" : name);
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "error: BENCHD_FUZZ=%s: no fuzzer has that name\n",
               name == nullptr ? "" : name);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
