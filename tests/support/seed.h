#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace benchd::test {

/// Where the random numbers of a test begin; printed, so that one that failed can be repeated.
///
/// The same each time, as whoever tests a change should meet what the last one met. Another one
/// with BENCHD_TEST_SOAK=1, and that of a run that failed with BENCHD_TEST_SEED=N.
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
