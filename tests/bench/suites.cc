// The bench of suites: a slowdown planted in one of twenty benchmarks, found by the statistics and
// the schedule of the daemon. Does the stated error rate hold for the whole suite, and how does the
// cost compare with equal shares? And how often is one of several equal arms ordered before
// another?
//
// usage: suites [--repetitions N] [--orders N] [--seed S] [--check]
//
// --orders: suites of equal arms (20). Exit code 0; 1 if --check found a figure outside its band; 2
// for a wrong command line.

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/arm_order.h"
#include "core/analysis/session_analysis.h"
#include "daemon/session/schedule.h"

namespace benchd {
namespace {

constexpr std::size_t kBenchmarks = 20;
constexpr std::size_t kPlanted = 12;
constexpr double kSlowdown = 0.03;
constexpr double kMargin = 0.02;
constexpr double kCv = 0.03;         // of a run
constexpr double kMachineCv = 0.05;  // of the factor that both runs of a block share
constexpr double kRarity = 3.2e-5;   // P(Z > 4): probability of a figure outside its band
constexpr std::uint64_t kFewestRepetitions = 20;

struct Scenario {
  const char* name;
  double alpha;
  double planted;          // true change of one benchmark
  double others;           // true change of the other nineteen
  std::uint64_t per_gate;  // blocks that the session may use, divided by the number of benchmarks
  std::size_t arms = 2;    // a reference and its candidates
};
constexpr Scenario kOneSlower{"one of twenty 3 % slower, margin 2 %", 0.01, kSlowdown, 0, 5000};
constexpr Scenario kAllAtTheMargin{"all twenty slower by the margin", 0.05, kMargin, kMargin, 60};
constexpr Scenario kEqualArms{"five equal arms in each of twenty", 0.05, 0, 0, 5000, 5};
constexpr Scenario kFasterBase{"base 6 % faster than four", 0.05, 0.06, 0.06, 5000, 5};

/// Twenty benchmarks, some of which take longer than others. Several candidates have early looks,
/// as those of a session have by default.
SessionSpec SpecOf(const Scenario& scenario, std::uint64_t seed) {
  SessionSpec spec;
  spec.alpha = scenario.alpha;
  spec.default_margin = kMargin;
  spec.seed = seed;
  spec.early_looks = scenario.arms > 2;
  for (std::size_t i = 0; i < kBenchmarks; ++i) {
    Benchmark benchmark;
    benchmark.name = "b" + std::to_string(i + 1);
    benchmark.arms.resize(scenario.arms);
    for (std::size_t arm = 0; arm < scenario.arms; ++arm) {
      benchmark.arms[arm].name = std::string(1, static_cast<char>('a' + arm));
    }
    benchmark.arms[0].role = ArmRole::kReference;
    spec.benchmarks.push_back(std::move(benchmark));
  }
  return spec;
}

double MeanSeconds(std::size_t benchmark) { return 0.01 * static_cast<double>(1 + benchmark % 5); }

/// Box and Muller, Ann. Math. Statist. 29 (1958) 610-611.
double StandardNormal(RandomStream& random) {
  const auto uniform = [&random] {
    return (static_cast<double>(random.Next() >> 11U) + 1) * 0x1p-53;
  };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

/// The block with that number, independent of when it is run: the same for every schedule.
std::vector<Run> MakeBlock(const SessionSpec& spec, const Scenario& scenario,
                           std::uint32_t benchmark, std::uint64_t number,
                           std::span<const std::uint32_t> idle) {
  RandomStream random(spec.seed ^ 0x5eed, number << 8U | benchmark);
  const double machine = std::exp(kMachineCv * StandardNormal(random));
  const double change = benchmark == kPlanted ? scenario.planted : scenario.others;
  std::vector<Run> runs;
  for (const PlannedRun& planned : PlanBlock(spec, benchmark, RunPhase::kMeasured, number, idle)) {
    Run run;
    run.benchmark = benchmark;
    run.block = number;
    run.position = planned.position;
    run.arm = planned.arm;
    const double mean = MeanSeconds(benchmark) * (planned.arm != 0 ? 1 + change : 1) * machine;
    run.samples.push_back({"wall_time", {}, 0, mean * (1 + kCv * StandardNormal(random))});
    runs.push_back(std::move(run));
  }
  return runs;
}

using Chooser = std::uint32_t (*)(std::span<const BenchmarkOutlook>);

std::uint32_t InTurn(std::span<const BenchmarkOutlook> outlooks) {
  std::vector<BenchmarkOutlook> all_below(outlooks.begin(), outlooks.end());
  for (BenchmarkOutlook& outlook : all_below) outlook.minimum = UINT64_MAX;
  return NextBenchmark(all_below);
}

struct Course {
  std::vector<Verdict> verdicts;
  std::vector<std::uint64_t> blocks;
  double seconds = 0;         // of measuring
  double seconds_waited = 0;  // until a verdict, mean over the benchmarks
  std::vector<ArmOrder> orders;
};

/// Ends the program if a block was refused.
void Require(const Result<void>& added) {
  if (added) return;
  std::fprintf(stderr, "error: %s\n", added.error().message.c_str());
  std::exit(2);
}

/// The orders of the arms, which read all blocks again.
std::vector<ArmOrder> OrdersOf(const SessionSpec& spec, const Report& report,
                               std::span<const std::vector<Run>> blocks) {
  ArmOrderAnalysis analysis(spec, report, DataSource::kSession);
  for (const std::vector<Run>& block : blocks) {
    Require(analysis.Add(block));
  }
  return analysis.Conclude();
}

/// A session as daemon/session runs one: order, statistics, schedule.
Course Follow(const Scenario& scenario, std::uint64_t seed, Chooser choose) {
  const SessionSpec spec = SpecOf(scenario, seed);
  SessionAnalysis analysis = SessionAnalysis::Create(spec).value();
  Course course;
  std::vector<BenchmarkOutlook> outlooks = analysis.Outlook();
  std::vector<std::vector<Run>> blocks;
  for (std::uint64_t i = 0; i < scenario.per_gate * kBenchmarks && !analysis.Finished(); ++i) {
    const std::uint32_t benchmark = choose(outlooks);
    std::vector<Run> block = MakeBlock(spec, scenario, benchmark, outlooks[benchmark].blocks,
                                       analysis.IdleArms(benchmark));
    Require(analysis.Add(block));
    for (const Run& run : block) course.seconds += run.samples.front().value;
    outlooks = analysis.Outlook();
    if (!outlooks[benchmark].open) course.seconds_waited += course.seconds / kBenchmarks;
    if (scenario.arms > 2) blocks.push_back(std::move(block));
  }
  const Report report = analysis.Conclude();
  for (const Comparison& gate : report.comparisons) course.verdicts.push_back(*gate.verdict);
  for (const BenchmarkOutlook& outlook : outlooks) course.blocks.push_back(outlook.blocks);
  course.orders = OrdersOf(spec, report, blocks);
  return course;
}

struct Tally {
  std::uint64_t repetitions = 0;
  std::uint64_t false_verdicts = 0;  // sessions with at least one
  std::uint64_t found = 0;           // the planted one
  std::uint64_t passed = 0;          // sessions in which all others did
  std::uint64_t undecided = 0;       // gates
  double runs = 0;                   // of both arms, mean
  double equal_runs = 0;
  double seconds_waited = 0;
  double seconds_waited_in_turn = 0;
  double seconds = 0;
};

void Count(const Scenario& scenario, const Course& course, Tally& tally) {
  bool wrong = false;
  std::size_t passed = 0;
  for (std::size_t i = 0; i < kBenchmarks; ++i) {
    const double change = i == kPlanted ? scenario.planted : scenario.others;
    const Verdict verdict = course.verdicts[i];
    wrong |= verdict == Verdict::kRegression && change <= kMargin;
    wrong |= verdict == Verdict::kPass && change >= kMargin;
    tally.undecided += verdict == Verdict::kUndecided ? 1 : 0;
    if (i == kPlanted) tally.found += verdict == Verdict::kRegression ? 1 : 0;
    if (i != kPlanted) passed += verdict == Verdict::kPass ? 1 : 0;
  }
  tally.false_verdicts += wrong ? 1 : 0;
  tally.passed += passed == kBenchmarks - 1 ? 1 : 0;
  std::uint64_t sum = 0;
  for (const std::uint64_t blocks : course.blocks) sum += blocks;
  tally.runs += 2 * static_cast<double>(sum);
  tally.equal_runs += 2 * static_cast<double>(kBenchmarks) *
                      static_cast<double>(*std::ranges::max_element(course.blocks));
  tally.seconds += course.seconds;
  tally.seconds_waited += course.seconds_waited;
}

Tally Simulate(const Scenario& scenario, std::uint64_t repetitions, std::uint64_t seed) {
  Tally tally;
  tally.repetitions = repetitions;
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    const std::uint64_t own_seed = RandomStream(seed, i).Next();
    Count(scenario, Follow(scenario, own_seed, &NextBenchmark), tally);
    tally.seconds_waited_in_turn += Follow(scenario, own_seed, &InTurn).seconds_waited;
  }
  const auto count = static_cast<double>(repetitions);
  for (double* mean : {&tally.runs, &tally.equal_runs, &tally.seconds, &tally.seconds_waited,
                       &tally.seconds_waited_in_turn}) {
    *mean /= count;
  }
  return tally;
}

/// Whether at least k of n events with probability p would be that rare.
bool TooMany(std::uint64_t count, std::uint64_t n, double p) {
  if (count == 0) return false;
  const boost::math::binomial_distribution<double> law(static_cast<double>(n), p);
  return boost::math::cdf(boost::math::complement(law, static_cast<double>(count) - 1)) < kRarity;
}

/// Prints the figures outside their bands.
bool Within(bool is_within, const char* what) {
  if (!is_within) std::printf("  out of its band: %s\n", what);
  return is_within;
}

bool TellOneSlower(const Tally& tally) {
  const auto n = static_cast<unsigned long long>(tally.repetitions);
  std::printf("%s, alpha %g %%, %llu suites\n", kOneSlower.name, 100 * kOneSlower.alpha, n);
  std::printf("  found:                     %llu of %llu\n",
              static_cast<unsigned long long>(tally.found), n);
  std::printf("  nineteen others passed:    %llu of %llu\n",
              static_cast<unsigned long long>(tally.passed), n);
  std::printf("  suites with false verdict: %llu of %llu (alpha allows %g)\n",
              static_cast<unsigned long long>(tally.false_verdicts), n,
              kOneSlower.alpha * static_cast<double>(tally.repetitions));
  std::printf("  runs of a suite:           %.0f; with equal shares for all: %.0f (%.0f %%)\n",
              tally.runs, tally.equal_runs, 100 * tally.runs / tally.equal_runs);
  std::printf("  mean time to a verdict:    %.1f s of %.1f s; the open ones in turn: %.1f s\n",
              tally.seconds_waited, tally.seconds, tally.seconds_waited_in_turn);
  bool good = Within(tally.undecided == 0, "a gate without a verdict");
  good &= Within(!TooMany(tally.false_verdicts, tally.repetitions, kOneSlower.alpha),
                 "false verdicts over alpha");
  good &= Within(2 * tally.runs < tally.equal_runs, "half of the runs of equal shares, or more");
  good &= Within(tally.seconds_waited < tally.seconds_waited_in_turn,
                 "verdicts come no earlier than in turn");
  return good;
}

bool TellAtTheMargin(const Tally& tally) {
  const auto n = static_cast<unsigned long long>(tally.repetitions);
  std::printf("%s: any verdict is false; alpha %g %%, %llu suites of %llu blocks\n",
              kAllAtTheMargin.name, 100 * kAllAtTheMargin.alpha, n,
              static_cast<unsigned long long>(kAllAtTheMargin.per_gate * kBenchmarks));
  std::printf("  suites with false verdict: %llu of %llu (alpha allows %g)\n",
              static_cast<unsigned long long>(tally.false_verdicts), n,
              kAllAtTheMargin.alpha * static_cast<double>(tally.repetitions));
  return Within(!TooMany(tally.false_verdicts, tally.repetitions, kAllAtTheMargin.alpha),
                "false verdicts over alpha");
}

/// What a suite of several candidates ends with.
struct Orders {
  std::uint64_t suites = 0;    // with an order of any two arms
  std::uint64_t verdicts = 0;  // suites with a regression
  double blocks = 0;           // of a benchmark, mean
  bool complete = true;        // every benchmark has an order
};

Orders SimulateOrders(const Scenario& scenario, std::uint64_t repetitions, std::uint64_t seed) {
  Orders found;
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    const Course course = Follow(scenario, RandomStream(seed, i).Next(), &NextBenchmark);
    found.complete &= course.orders.size() == kBenchmarks;
    found.suites += std::ranges::any_of(
        course.orders, [](const ArmOrder& order) { return order.groups.size() > 1; });
    found.verdicts +=
        std::ranges::find(course.verdicts, Verdict::kRegression) != course.verdicts.end();
    for (const std::uint64_t count : course.blocks) {
      found.blocks += static_cast<double>(count) / static_cast<double>(repetitions * kBenchmarks);
    }
  }
  return found;
}

bool TellOrders(std::uint64_t repetitions, std::uint64_t seed) {
  const Orders equal = SimulateOrders(kEqualArms, repetitions, seed);
  std::printf("%s, alpha %g %%, %llu suites\n", kEqualArms.name, 100 * kEqualArms.alpha,
              static_cast<unsigned long long>(repetitions));
  std::printf("  suites with a false order: %llu, with a false verdict: %llu (alpha allows %g)\n",
              static_cast<unsigned long long>(equal.suites),
              static_cast<unsigned long long>(equal.verdicts),
              kEqualArms.alpha * static_cast<double>(repetitions));
  std::printf("  blocks of a benchmark:     %.0f\n", equal.blocks);
  // An order that never tells arms apart would never be false.
  const std::uint64_t controls = std::min<std::uint64_t>(repetitions, 20);
  const Orders faster = SimulateOrders(kFasterBase, controls, seed);
  std::printf("%s: ordered in %llu of %llu suites\n", kFasterBase.name,
              static_cast<unsigned long long>(faster.suites),
              static_cast<unsigned long long>(controls));
  bool good = Within(equal.complete && faster.complete, "a benchmark without an order");
  good &= Within(!TooMany(equal.suites, repetitions, kEqualArms.alpha), "false orders over alpha");
  good &=
      Within(!TooMany(equal.verdicts, repetitions, kEqualArms.alpha), "false verdicts over alpha");
  good &= Within(faster.suites == controls, "a suite without an order of unequal arms");
  return good;
}

int Usage(const char* word) {
  std::fprintf(stderr, "error: %s: no such option, or no value from 1 on\n", word);
  std::fprintf(stderr, "hint: suites [--repetitions N] [--orders N] [--seed S] [--check]\n");
  return 2;
}

int Main(int argc, char** argv) {
  std::uint64_t repetitions = 200;
  std::uint64_t orders = 20;
  std::uint64_t seed = 1;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--check") {
      check = true;
      continue;
    }
    std::uint64_t* number = word == "--repetitions" ? &repetitions
                            : word == "--orders"    ? &orders
                            : word == "--seed"      ? &seed
                                                    : nullptr;
    if (number == nullptr || i + 1 == argc) return Usage(argv[i]);
    const char* text = argv[++i];
    const auto [end, failed] = std::from_chars(text, text + std::strlen(text), *number);
    if (failed != std::errc() || *end != '\0' || *number == 0) return Usage(argv[i - 1]);
  }
  if (check && repetitions < kFewestRepetitions) return Usage("--check");
  bool good = TellOneSlower(Simulate(kOneSlower, repetitions, seed));
  good &= TellAtTheMargin(Simulate(kAllAtTheMargin, repetitions, seed));
  good &= TellOrders(orders, seed);
  std::printf("suites: %llu repetitions, seed %llu\n", static_cast<unsigned long long>(repetitions),
              static_cast<unsigned long long>(seed));
  return check && !good ? 1 : 0;
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) { return benchd::Main(argc, argv); }
