// Many benchmarks of different lengths, some of which are slower: see ../discovery.py.
//
// CASES: how many; PLANTED: their numbers that do more work, such as "7,55"; SHARE: how much more.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

namespace {

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

// Each step needs the result of the one before, so the time is proportional to the steps.
std::uint64_t Chain(std::int64_t steps) {
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    benchmark::DoNotOptimize(value);
  }
  return value;
}

void Register(int number, bool planted, double share) {
  // From about 1 to 100 microseconds.
  const std::int64_t steps = 1000 * (1 + number * 37 % 100);
  const auto work = planted ? static_cast<std::int64_t>(steps * (1 + share)) : steps;
  benchmark::RegisterBenchmark(
      ("case" + std::to_string(number)).c_str(), [work](benchmark::State& state) {
        for ([[maybe_unused]] auto unused : state) benchmark::DoNotOptimize(Chain(work));
      });
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = std::stoi(Variable("CASES", "120"));
  const double share = std::stod(Variable("SHARE", "0.05"));
  const std::set<int> planted = Planted();
  for (int i = 0; i < cases; ++i) Register(i, planted.count(i) != 0, share);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
