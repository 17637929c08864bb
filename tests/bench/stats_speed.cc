// The cost of the default method: nanoseconds per pair for its update with 1, 10 and 100 metrics,
// and for one interval. Prints a table and judges nothing, because the numbers depend on the load
// of the machine.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "core/stats/decision.h"
#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"
#include "daemon/session/schedule.h"

namespace benchd {
namespace {

constexpr std::uint64_t kSeed = 20260302;
constexpr std::uint64_t kFirstLook = 8;
constexpr std::size_t kDraws = 4096;  // the values fit into the cache, as a session's do
constexpr int kRounds = 7;
constexpr std::uint64_t kOperations = 1'000'000;

struct Pair {
  double base;
  double candidate;
};

// Within 10 % of 1, uniformly: the cost does not depend on the values.
std::vector<Pair> Draw() {
  RandomStream random(kSeed, 0);
  const auto value = [&random] {
    return 0.9 + 0.2 * static_cast<double>(random.Next() >> 11U) * 0x1p-53;
  };
  std::vector<Pair> pairs(kDraws);
  for (Pair& pair : pairs) {
    pair.base = value();
    pair.candidate = value();
  }
  return pairs;
}

// The median round's nanoseconds per operation; body(i) returns a number that depends on its work.
template <typename Body>
double Nanoseconds(std::uint64_t operations, Body body) {
  std::array<double, kRounds> rounds{};
  double sum = 0;
  for (double& round : rounds) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < operations; ++i) sum += body(i);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    round = spent.count() / static_cast<double>(operations);
  }
  [[maybe_unused]] const volatile double used = sum;  // so that no work is optimised away
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

void PrintUpdates(const std::vector<Pair>& pairs) {
  std::printf("%-44s %10s %14s\n", "update of the default method", "ns / pair", "ns / metric");
  for (const std::size_t metrics : {1U, 10U, 100U}) {
    std::vector<PairedMoments> states(metrics);
    const double time = Nanoseconds(kOperations / metrics, [&](std::uint64_t i) {
      for (std::size_t m = 0; m < metrics; ++m) {
        const Pair& pair = pairs[(i + m) % kDraws];
        states[m].Add(pair.base, pair.candidate);
      }
      return static_cast<double>(states[0].n());
    });
    std::printf("%3zu %-40s %10.1f %14.1f\n", metrics, metrics == 1 ? "metric" : "metrics", time,
                time / static_cast<double>(metrics));
  }
}

void PrintLook(const char* what, double time) { std::printf("%-44s %10.1f\n", what, time); }

void PrintLooks(const std::vector<Pair>& pairs) {
  const SequentialBoundary boundary = SequentialBoundary::Robbins(0.01, kFirstLook).value();
  PairedMoments moments;
  for (const Pair& pair : pairs) moments.Add(pair.base, pair.candidate);
  std::vector<PairedMoments> states(8, moments);
  const auto estimate = [&states](std::uint64_t i) {
    return EstimateRatio(states[i % 8].Centred());
  };
  const double t = boundary.CriticalT(kDraws);

  std::printf("\n%-44s %10s\n", "one look", "ns");
  PrintLook("estimate and guarded interval, t at hand", Nanoseconds(kOperations, [&](auto i) {
              const Interval interval = GuardedInterval(estimate(i), t);
              return interval.hi - interval.lo;
            }));
  PrintLook("critical t of a new n", Nanoseconds(kOperations / 10, [&](std::uint64_t i) {
              return boundary.CriticalT(kFirstLook + i % kDraws);
            }));
  RunningP p;
  PrintLook("estimate and always-valid p, no evidence", Nanoseconds(kOperations, [&](auto i) {
              p.Watch(FindingAgainst(estimate(i), 0), boundary);
              return p.value();
            }));
  PrintLook("estimate and always-valid p, falling", Nanoseconds(kOperations / 10, [&](auto i) {
              RunningP fresh;
              fresh.Watch(FindingAgainst(estimate(i), 0.01), boundary);
              return fresh.value();
            }));
}

}  // namespace
}  // namespace benchd

int main(int argc, char**) {
  if (argc > 1) {
    std::fputs("error: stats_speed: it takes no option\n", stderr);
    return 2;
  }
  const std::vector<benchd::Pair> pairs = benchd::Draw();
  benchd::PrintUpdates(pairs);
  benchd::PrintLooks(pairs);
}
