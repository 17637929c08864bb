// Many benchmarks of different kinds, lengths and noise, some of which do more work: see
// ../discovery.py.
//
// CASES: how many; PLANTED: the numbers of those that do more work, such as "7,55"; SHARE: how much
// more. The data differs in each process, as that of real programs does: by its seed, its addresses
// and the memory that it gets.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::mt19937_64& Random() {
  static std::mt19937_64 random(std::random_device{}());
  return random;
}

std::vector<std::uint64_t> RandomValues(std::size_t count) {
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = Random()();
  return values;
}

/// Each step needs the result of the one before, so the time is proportional to the steps.
void Chain(benchmark::State& state, std::size_t work) {
  for ([[maybe_unused]] auto unused : state) {
    std::uint64_t value = 1;
    for (std::size_t i = 0; i < 40 * work; ++i) {
      value = value * 6364136223846793005U + 1442695040888963407U;
      benchmark::DoNotOptimize(value);
    }
  }
}

void Sort(benchmark::State& state, std::size_t work) {
  const std::vector<std::uint64_t> values = RandomValues(work);
  for ([[maybe_unused]] auto unused : state) {
    std::vector<std::uint64_t> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    benchmark::DoNotOptimize(sorted.data());
  }
}

/// Look-ups in a table with open addressing, whose collisions differ in each process.
void Hash(benchmark::State& state, std::size_t work) {
  const std::vector<std::uint64_t> keys = RandomValues(work);
  const std::uint64_t multiplier = Random()() | 1U;
  for ([[maybe_unused]] auto unused : state) {
    std::vector<std::uint64_t> table(4096);
    std::size_t steps = 0;
    for (const std::uint64_t key : keys) {
      std::size_t slot = (key * multiplier) >> 52U;
      for (; table[slot] != 0; slot = (slot + 1) % table.size()) ++steps;
      table[slot] = key;
    }
    benchmark::DoNotOptimize(steps);
  }
}

/// Follows a random cycle through 128 KiB, which is more than the nearest cache holds.
void Chase(benchmark::State& state, std::size_t work) {
  std::vector<std::uint32_t> next(std::size_t{1} << 15);
  std::vector<std::uint32_t> order(next.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), Random());
  for (std::size_t i = 0; i < order.size(); ++i) next[order[i]] = order[(i + 1) % order.size()];
  std::uint32_t at = 0;
  for ([[maybe_unused]] auto unused : state) {
    for (std::size_t i = 0; i < work; ++i) at = next[at];
    benchmark::DoNotOptimize(at);
  }
}

void Text(benchmark::State& state, std::size_t work) {
  const std::vector<std::uint64_t> values = RandomValues(work);
  std::string text;
  for ([[maybe_unused]] auto unused : state) {
    text.clear();
    for (const std::uint64_t value : values) text += std::to_string(value);
    benchmark::DoNotOptimize(text.data());
  }
}

/// Branches that the processor cannot predict.
void Branches(benchmark::State& state, std::size_t work) {
  const std::vector<std::uint64_t> values = RandomValues(8 * work);
  for ([[maybe_unused]] auto unused : state) {
    std::uint64_t sum = 0;
    for (const std::uint64_t value : values) {
      if (value % 3 == 0) sum += value / 7;
      benchmark::DoNotOptimize(sum);
    }
  }
}

struct Kind {
  const char* name;
  void (*run)(benchmark::State&, std::size_t);
};
constexpr Kind kKinds[] = {{"chain", Chain}, {"sort", Sort}, {"hash", Hash},
                           {"chase", Chase}, {"text", Text}, {"branches", Branches}};

std::string Variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::set<int> Planted() {
  std::set<int> numbers;
  std::istringstream words(Variable("PLANTED", ""));
  for (std::string word; std::getline(words, word, ',');) numbers.insert(std::stoi(word));
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = std::stoi(Variable("CASES", "120"));
  const double share = std::stod(Variable("SHARE", "0.05"));
  const std::set<int> planted = Planted();
  for (int i = 0; i < cases; ++i) {
    const Kind& kind = kKinds[i % std::size(kKinds)];
    const double work = 200 + 100 * (i / std::size(kKinds) % 20);
    const auto steps = static_cast<std::size_t>(planted.count(i) != 0 ? work * (1 + share) : work);
    benchmark::RegisterBenchmark(
        (std::string(kind.name) + "/case" + std::to_string(i)).c_str(),
        [&kind, steps](benchmark::State& state) { kind.run(state, steps); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
