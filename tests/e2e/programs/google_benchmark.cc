#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

// A user's benchmark in two variants: the slower one (SUM_TWICE) does one of its two tasks twice.

namespace {

constexpr int kSumRounds =
#ifdef SUM_TWICE
    2;
#else
    1;
#endif

void BM_Sum(benchmark::State& state) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(state.range(0)), 3);
  for ([[maybe_unused]] auto unused : state) {
    for (int round = 0; round < kSumRounds; ++round) {
      benchmark::DoNotOptimize(values.data());
      benchmark::DoNotOptimize(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
    }
  }
  state.SetComplexityN(state.range(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["elements"] = static_cast<double>(state.range(0));
}
BENCHMARK(BM_Sum)->Arg(10000)->Arg(20000);

void BM_Fill(benchmark::State& state) {
  std::vector<std::uint32_t> values(20000);
  for ([[maybe_unused]] auto unused : state) {
    benchmark::DoNotOptimize(values.data());
    std::fill(values.begin(), values.end(), 7U);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Fill)->Unit(benchmark::kMicrosecond);

void BM_Fails(benchmark::State& state) {
  state.SkipWithError("no such file: corpus.txt");
  for ([[maybe_unused]] auto unused : state) {
  }
}
// Registered only on request.
[[maybe_unused]] const int registered = [] {
#ifdef WITH_FAILURE
  benchmark::RegisterBenchmark("BM_Fails", BM_Fails);
  benchmark::RegisterBenchmark("BM_Complexity", BM_Sum)
      ->Arg(100)
      ->Arg(1000)
      ->Arg(10000)
      ->Complexity();
#else
  static_cast<void>(&BM_Fails);
#endif
  return 0;
}();

}  // namespace

BENCHMARK_MAIN();
