#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>

// WORK and FAIL as in google_benchmark.cc.

namespace {

std::int64_t Work() {
  const char* steps = std::getenv("WORK");
  return steps == nullptr ? 20'000 : std::atoll(steps);
}

std::uint64_t Chain(std::int64_t steps) {
  volatile std::uint64_t value = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
  }
  return value;
}

}  // namespace

TEST_CASE("Planted", "[!benchmark]") {
  const std::int64_t steps = Work();
  BENCHMARK("chain") { return Chain(steps); };
}

TEST_CASE("Steady", "[!benchmark]") {
  REQUIRE(std::getenv("FAIL") == nullptr);
  BENCHMARK("chain") { return Chain(20'000); };
}
