#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>

// WORK: the steps of Planted, in which an arm may do more than the other. FAIL: Steady reports an
// error.

namespace {

std::int64_t Work() {
  const char* steps = std::getenv("WORK");
  return steps == nullptr ? 20'000 : std::atoll(steps);
}

// Each step needs the result of the one before, so the time is proportional to the steps.
std::uint64_t Chain(std::int64_t steps) {
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    benchmark::DoNotOptimize(value);
  }
  return value;
}

void Planted(benchmark::State& state) {
  const std::int64_t steps = Work();
  for ([[maybe_unused]] auto unused : state) benchmark::DoNotOptimize(Chain(steps));
}
BENCHMARK(Planted);

void Steady(benchmark::State& state) {
  if (std::getenv("FAIL") != nullptr) state.SkipWithError("no such file: corpus.txt");
  for ([[maybe_unused]] auto unused : state) benchmark::DoNotOptimize(Chain(20'000));
}
BENCHMARK(Steady);

}  // namespace

BENCHMARK_MAIN();
