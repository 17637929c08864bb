#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace benchd::test {

/// The seed of a test's random numbers; printed, so that a failure can be reproduced.
///
/// The same each time by default, so that a test gives the same result for everyone.
/// BENCHD_TEST_SOAK=1 chooses a new seed, and BENCHD_TEST_SEED=N repeats that of a failed run.
inline std::uint32_t Seed() {
  constexpr std::uint32_t kUsual = 20240501;
  const char* const given = std::getenv("BENCHD_TEST_SEED");
  const char* const soak = std::getenv("BENCHD_TEST_SOAK");
  std::uint32_t seed = kUsual;
  if (given != nullptr) {
    seed = static_cast<std::uint32_t>(std::stoul(given));
  } else if (soak != nullptr && std::string_view(soak) == "1") {
    seed = std::random_device{}();
  }
  std::printf("seed %u\n", seed);
  std::fflush(stdout);
  return seed;
}

}  // namespace benchd::test
