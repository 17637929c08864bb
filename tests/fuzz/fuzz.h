#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// What every fuzzer defines: takes any bytes, returns 0, and aborts when a promise is broken.
///
/// The name is libFuzzer's, so that the same file builds with clang's -fsanitize=fuzzer as well as
/// with driver.cc.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// A broken promise: ends the program, whose input the driver (or libFuzzer) then keeps.
#define FUZZ_CHECK(condition)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

namespace benchd::fuzz {

inline std::string_view AsText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// What all messages keep to: something on one line.
inline void CheckMessage(std::string_view message) {
  FUZZ_CHECK(!message.empty());
  FUZZ_CHECK(message.find('\n') == std::string_view::npos);
}

}  // namespace benchd::fuzz
