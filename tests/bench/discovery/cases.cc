// Many benchmarks of different kinds, lengths and noise, some of which do more work: see
// ../discovery.py.
//
// The file cases.txt beside the program has words: how many benchmarks, how much more work some of
// them do, and the numbers of these, such as "120 0.05 7 55". One benchmark of 24 has up to 16 %
// more to do, drawn anew in each process, as if it had other data; the others differ only by their
// addresses and by the memory that they get.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

/// What a benchmark is given: how much to do, and where its data comes from.
struct Work {
  std::size_t steps;
  std::uint64_t seed;
};

std::vector<std::uint64_t> RandomValues(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = random();
  return values;
}

/// Each step needs the result of the one before, so the time is proportional to the steps.
void Chain(benchmark::State& state, const Work& work) {
  for ([[maybe_unused]] auto unused : state) {
    std::uint64_t value = 1;
    for (std::size_t i = 0; i < 40 * work.steps; ++i) {
      value = value * 6364136223846793005U + 1442695040888963407U;
      benchmark::DoNotOptimize(value);
    }
  }
}

/// Sorts other numbers in each turn, so that the processor cannot learn them.
void Sort(benchmark::State& state, const Work& work) {
  const std::vector<std::uint64_t> values = RandomValues(work.steps + 4096, work.seed);
  std::size_t begin = 0;
  for ([[maybe_unused]] auto unused : state) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin++ % 4096);
    std::vector<std::uint64_t> sorted(first, first + static_cast<std::ptrdiff_t>(work.steps));
    std::sort(sorted.begin(), sorted.end());
    benchmark::DoNotOptimize(sorted.data());
  }
}

/// Insertions into a table with open addressing; how many collide depends on the data.
void Hash(benchmark::State& state, const Work& work) {
  const std::vector<std::uint64_t> keys = RandomValues(work.steps, work.seed);
  std::vector<std::uint32_t> table(4096);
  std::uint64_t turn = 0;
  for ([[maybe_unused]] auto unused : state) {
    std::fill(table.begin(), table.end(), 0);
    turn += 0x9E3779B97F4A7C15U;
    for (const std::uint64_t key : keys) {
      std::size_t slot = (key * (turn | 1U)) >> 52U;
      while (table[slot] != 0) slot = (slot + 1) % table.size();
      table[slot] = static_cast<std::uint32_t>(key | 1U);
    }
    benchmark::DoNotOptimize(table.data());
  }
}

/// Follows a random cycle through 128 KiB, which is more than the nearest cache holds.
void Chase(benchmark::State& state, const Work& work) {
  std::vector<std::uint32_t> next(std::size_t{1} << 15);
  std::vector<std::uint32_t> order(next.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(work.seed));
  for (std::size_t i = 0; i < order.size(); ++i) next[order[i]] = order[(i + 1) % order.size()];
  std::uint32_t at = 0;
  for ([[maybe_unused]] auto unused : state) {
    for (std::size_t i = 0; i < work.steps; ++i) at = next[at];
    benchmark::DoNotOptimize(at);
  }
}

/// Counts the digits of numbers.
void Digits(benchmark::State& state, const Work& work) {
  const std::vector<std::uint64_t> values = RandomValues(work.steps, work.seed);
  for ([[maybe_unused]] auto unused : state) {
    std::size_t digits = 0;
    for (std::uint64_t value : values) {
      for (; value != 0; value /= 10) ++digits;
      benchmark::DoNotOptimize(digits);
    }
  }
}

/// Branches that the processor cannot predict.
void Branches(benchmark::State& state, const Work& work) {
  std::uint64_t value = work.seed;
  for ([[maybe_unused]] auto unused : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < 8 * work.steps; ++i) {
      value = value * 6364136223846793005U + 1442695040888963407U;
      if (value >> 63U != 0) sum += value / 7;
      benchmark::DoNotOptimize(sum);
    }
  }
}

struct Kind {
  const char* name;
  void (*run)(benchmark::State&, const Work&);
};
constexpr Kind kKinds[] = {{"chain", Chain}, {"sort", Sort},     {"hash", Hash},
                           {"chase", Chase}, {"digits", Digits}, {"branches", Branches}};

struct Plan {
  int cases = 0;
  double share = 0;
  std::set<int> planted;
};

/// Reads the file beside the program, so that both arms have the same command.
Plan ReadPlan() {
  Plan plan;
  std::ifstream words(
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("cases.txt"));
  words >> plan.cases >> plan.share;
  for (int number = 0; words >> number;) plan.planted.insert(number);
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  const Plan plan = ReadPlan();
  std::mt19937_64 anew(std::random_device{}());
  for (int i = 0; i < plan.cases; ++i) {
    const Kind& kind = kKinds[i % std::size(kKinds)];
    double steps = 1000 + 100 * (i / std::size(kKinds) % 20);
    if (plan.planted.count(i) != 0) steps *= 1 + plan.share;
    if (i % 24 == 1) steps *= std::uniform_real_distribution(1.0, 1.16)(anew);
    const Work work{static_cast<std::size_t>(steps), static_cast<std::uint64_t>(i)};
    benchmark::RegisterBenchmark((std::string(kind.name) + "/case" + std::to_string(i)).c_str(),
                                 [&kind, work](benchmark::State& state) { kind.run(state, work); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
