#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/fuzzers.h"

/// Reports a broken promise: ends the program, and the driver (or libFuzzer) keeps the input.
#define FUZZ_CHECK(condition)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

namespace benchd::fuzz {

/// Every message is one non-empty line.
inline void CheckMessage(std::string_view message) {
  FUZZ_CHECK(!message.empty());
  FUZZ_CHECK(message.find('\n') == std::string_view::npos);
}

}  // namespace benchd::fuzz
