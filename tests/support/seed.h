#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace benchd::test {

/// The seed of a test's random inputs: the same in every run, so that a failure is one of the change
/// and not of the day; BENCHD_TEST_SEED asks for others. A test tells it with SCOPED_TRACE.
inline std::uint32_t Seed() {
  const char* const wanted = std::getenv("BENCHD_TEST_SEED");
  return wanted == nullptr ? 1 : static_cast<std::uint32_t>(std::stoul(wanted));
}

}  // namespace benchd::test
