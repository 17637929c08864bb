// The cost of similarity: 10 runs of 3000 values against the target of 25 ms on one core; then the
// cost per value as runs and length grow; and, if BENCHD_JMH_DIR names the folder of real
// benchmarks, all 40 of them on two cores within a second. Prints a table with the elapsed time and
// the CPU time, which other programs on the machine hardly affect. Exits with 1 if the CPU time
// misses a target.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "core/stats/similarity/assessment.h"
#include "daemon/session/schedule.h"
#include "tests/stats/similarity/jmh_files.h"

namespace benchd {
namespace {

constexpr std::uint64_t kSeed = 20261122;
constexpr int kRounds = 31;
constexpr double kTargetMilliseconds = 25;
constexpr double kTargetSecondsOfAll = 1;

double Uniform(RandomStream& random) {
  return (static_cast<double>(random.Next() >> 11U) + 0.5) * 0x1p-53;
}

// Times around 1 with a warm-up, noise and rare slow values, like those of real runs.
Runs Draw(std::size_t runs, std::size_t values) {
  RandomStream random(kSeed, 0);
  Runs drawn(runs, std::vector<double>(values));
  for (std::vector<double>& run : drawn) {
    const double level = 1 + 0.02 * Uniform(random);
    for (std::size_t i = 0; i < values; ++i) {
      const double slow = Uniform(random) < 0.01 ? 3 : 1;
      run[i] = level * slow * (1 + 0.3 * std::exp(-static_cast<double>(i) / 50)) *
               (1 - 0.01 * std::log(Uniform(random)));
    }
  }
  return drawn;
}

struct Spent {
  double elapsed = 0;  // milliseconds, as is the next
  double cpu = 0;      // of all threads of the process
};

double CpuMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Body>
Spent MedianOf(int rounds, Body body) {
  std::vector<double> elapsed;
  std::vector<double> cpu;
  for (int round = 0; round < rounds; ++round) {
    const double cpu_before = CpuMilliseconds();
    const auto before = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - before;
    elapsed.push_back(spent.count());
    cpu.push_back(CpuMilliseconds() - cpu_before);
  }
  return {Median(std::move(elapsed)), Median(std::move(cpu))};
}

// All five measures in both variants and SAME, without the second look at clipped runs.
void CompareOnce(const Runs& runs) {
  const auto pairs = ComparePairs(runs);
  const volatile bool used = Vote(*pairs, SimilarityVariant::kLiteral).Dissimilar() ||
                             Vote(*pairs, SimilarityVariant::kShape).Dissimilar() ||
                             ClusterRuns(*pairs, runs.size()).Dissimilar();
  static_cast<void>(used);
}

bool PrintTarget() {
  const Runs runs = Draw(10, 3000);
  const Spent once = MedianOf(kRounds, [&runs] { CompareOnce(runs); });
  const Spent whole = MedianOf(kRounds, [&runs] {
    const volatile bool used = AssessRuns(runs)->literal.Dissimilar();
    static_cast<void>(used);
  });
  std::printf("10 runs of 3000 values, one core, median of %d     CPU ms   elapsed ms\n", kRounds);
  std::printf("  five measures, both variants, SAME            %8.2f %12.2f   (target %.0f)\n",
              once.cpu, once.elapsed, kTargetMilliseconds);
  std::printf("  and the second look without spikes            %8.2f %12.2f\n\n", whole.cpu,
              whole.elapsed);
  return once.cpu < kTargetMilliseconds;
}

void PrintGrowth() {
  std::printf("%6s %8s %12s %16s %18s\n", "runs", "values", "CPU ms", "ns / value",
              "ns / value, pair");
  for (const auto& [runs, values] : {std::pair{2U, 3000U},
                                     {5U, 3000U},
                                     {10U, 3000U},
                                     {20U, 3000U},
                                     {40U, 3000U},
                                     {10U, 50U},
                                     {10U, 300U},
                                     {10U, 1000U},
                                     {10U, 10'000U},
                                     {10U, 30'000U}}) {
    const Runs drawn = Draw(runs, values);
    const double time = MedianOf(5, [&drawn] { CompareOnce(drawn); }).cpu;
    const double all = static_cast<double>(runs) * values;
    const double pairs = static_cast<double>(runs) * (runs - 1) / 2 * values;
    std::printf("%6u %8u %12.2f %16.1f %18.1f\n", runs, values, time, 1e6 * time / all,
                1e6 * time / pairs);
  }
}

bool PrintRealFiles() {
  if (JmhFolder().empty()) {
    std::printf("\n%s: no time of the 40 files\n", kNoJmhFolder);
    return true;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(JmhFolder())) {
    if (entry.path().extension() == ".f64") files.push_back(entry.path());
  }
  const Spent time = MedianOf(5, [&files] {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < files.size(); i = next++) {
        const volatile bool used = AssessRuns(ReadJmhFile(files[i]))->literal.Dissimilar();
        static_cast<void>(used);
      }
    };
    std::thread other(work);
    work();
    other.join();
  });
  const double each = time.cpu / 2000;
  std::printf(
      "\n%zu real benchmarks of 10 x 3000, read and assessed by two threads: %.2f s of CPU "
      "each, %.2f s elapsed (target %.0f)\n",
      files.size(), each, time.elapsed / 1000, kTargetSecondsOfAll);
  return each < kTargetSecondsOfAll;
}

}  // namespace
}  // namespace benchd

int main(int argc, char**) {
  if (argc > 1) {
    std::fputs("error: similarity_speed: it takes no option\n", stderr);
    return 2;
  }
  const bool fast = benchd::PrintTarget();
  benchd::PrintGrowth();
  return benchd::PrintRealFiles() && fast ? 0 : 1;
}
