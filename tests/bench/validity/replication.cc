#include "tests/bench/validity/replication.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/stats/combination.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

using Random = std::mt19937_64;

bool LeavesOutZero(const Interval& interval) { return interval.lo > 0 || interval.hi < 0; }

/// P(Bin(n, p) >= count): summed from the front, in logs.
double UpperTail(std::uint64_t n, double p, std::uint64_t count) {
  const auto trials = static_cast<double>(n);
  double tail = 0;
  for (std::uint64_t k = count; k <= n; ++k) {
    const auto hits = static_cast<double>(k);
    const double term =
        std::exp(std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
                 hits * std::log(p) + (trials - hits) * std::log1p(-p));
    tail += term;
    if (hits > trials * p && term < 1e-12 * tail) break;
  }
  return std::min(tail, 1.0);
}

// Sums over repetitions; whole numbers, so that threads may add them in any order.
template <std::size_t kCounts>
struct Counts {
  std::array<std::uint64_t, kCounts> counts{};
  Counts& operator+=(const Counts& other) {
    for (std::size_t i = 0; i < kCounts; ++i) counts[i] += other.counts[i];
    return *this;
  }
};

std::string ShareWithTail(std::uint64_t count, const Options& options, double alpha) {
  return Share(count, options.repetitions) + ", " +
         Number(UpperTail(options.repetitions, alpha, count), 3);
}

Random Stream(const Options& options, std::uint64_t row, std::uint64_t repetition) {
  std::seed_seq seed{options.seed, options.seed >> 32U, row, repetition, repetition >> 32U};
  return Random(seed);
}

// ---- machines ----

constexpr std::size_t kRunsOfMachine = 20;

/// The finding of a machine without a change: its own share of tau and the noise of its runs, whose
/// spread it estimates from twenty runs.
UnitEffect DrawMachine(Random& random, double tau, double sigma) {
  std::normal_distribution<double> normal;
  std::chi_squared_distribution<double> chi(kRunsOfMachine - 1);
  const double value = tau * normal(random) + sigma * normal(random);
  return {value, sigma * std::sqrt(chi(random) / (kRunsOfMachine - 1))};
}

/// Pools the runs as if there were one machine: weights by the standard errors.
Interval FixedEffect(std::span<const UnitEffect> units, double alpha) {
  double weights = 0;
  double sum = 0;
  for (const UnitEffect& unit : units) {
    const double weight = 1 / (*unit.standard_error * *unit.standard_error);
    weights += weight;
    sum += weight * unit.value;
  }
  const double half = NormalUpperQuantile(alpha / 2) / std::sqrt(weights);
  return {sum / weights - half, sum / weights + half};
}

Table Machines(const Options& options, double alpha) {
  enum : std::size_t { kCombine, kPrediction, kOutlier, kFixed, kMethods };
  Table table(
      "Machines: % of intervals that exclude the true change, and P(as many | alpha), alpha " +
          Percent(alpha),
      {"machines", "tau", "noise", "combine", "one more machine", "named without reason",
       "fixed effect"});
  std::uint64_t row = 0;
  for (const std::size_t machines : {4U, 8U, 16U}) {
    for (const double tau : {0.0, 1.0}) {
      for (const bool alike : {true, false}) {
        const std::uint64_t stream = ++row;
        const auto body = [&](std::uint64_t repetition, std::vector<Counts<kMethods>>& parts) {
          Random random = Stream(options, stream, repetition);
          std::vector<UnitEffect> units;
          // The last one is the additional machine.
          for (std::size_t i = 0; i <= machines; ++i) {
            units.push_back(DrawMachine(random, tau, alike || i % 2 == 0 ? 1 : 2));
          }
          const double next = units.back().value;
          units.pop_back();
          const Combination combined = CombineUnits(units, alpha).value();
          auto& counts = parts[0].counts;
          counts[kCombine] += LeavesOutZero(*combined.interval);
          counts[kPrediction] += next < combined.prediction->lo || next > combined.prediction->hi;
          counts[kOutlier] += !combined.outliers.empty();
          counts[kFixed] += LeavesOutZero(FixedEffect(units, alpha));
        };
        const auto counts =
            Repeat(options.repetitions, options.threads, std::vector<Counts<kMethods>>(1), body)[0]
                .counts;
        table.AddRow({std::to_string(machines), tau == 0 ? "0" : "sigma",
                      alike ? "alike" : "every second twice as noisy",
                      ShareWithTail(counts[kCombine], options, alpha),
                      ShareWithTail(counts[kPrediction], options, alpha),
                      ShareWithTail(counts[kOutlier], options, alpha),
                      ShareWithTail(counts[kFixed], options, alpha)});
      }
    }
  }
  return table;
}

// ---- layouts ----

constexpr std::uint32_t kBuilds = 8;
constexpr double kRunNoise = 0.01;

SessionSpec LayoutSpec(double alpha) {
  SessionSpec spec;
  spec.method = benchd::Method::kLayouts;
  spec.alpha = alpha;
  spec.limits.max_runs = 10'000;
  Benchmark& benchmark = spec.benchmarks.emplace_back();
  for (std::uint32_t i = 0; i < 2 * kBuilds; ++i) {
    Arm arm;
    arm.name = (i < kBuilds ? "base/" : "candidate/") + std::to_string(1 + i % kBuilds);
    arm.role = i < kBuilds ? ArmRole::kReference : ArmRole::kCandidate;
    benchmark.arms.push_back(std::move(arm));
  }
  return spec;
}

std::vector<Run> DrawBlock(Random& random, const std::vector<double>& builds) {
  std::normal_distribution<double> normal;
  std::vector<Run> block;
  for (std::uint32_t arm = 0; arm < builds.size(); ++arm) {
    Run run;
    run.arm = arm;
    run.position = arm;
    run.samples = {{"wall_time", {}, 0, builds[arm] * (1 + kRunNoise * normal(random))}};
    block.push_back(std::move(run));
  }
  return block;
}

/// One build of each arm with the same total number of runs, treated as the arms themselves.
Interval OneBuildEach(const std::vector<Moments>& runs, double alpha) {
  const WelchEstimate estimate = EstimateWelchRatio(runs.front(), runs[kBuilds]);
  return PlainInterval(estimate, FixedCriticalT(alpha, estimate));
}

Table LayoutTable(const Options& options, double alpha) {
  enum : std::size_t { kLayouts, kOneBuild, kBlocks, kMethods };
  Table table(
      "Layouts, eight builds of each arm, runs vary by 1 %: % of intervals that exclude the true "
      "change, and P(as many | alpha), alpha " +
          Percent(alpha),
      {"sd between layouts", "--layouts 8", "one build each", "runs of a build"});
  std::uint64_t row = 100;
  for (const double spread : {0.0, 0.01, 0.05}) {
    const std::uint64_t stream = ++row;
    const SessionSpec spec = LayoutSpec(alpha);
    const auto body = [&](std::uint64_t repetition, std::vector<Counts<kMethods>>& parts) {
      Random random = Stream(options, stream, repetition);
      std::normal_distribution<double> normal;
      std::vector<double> builds(2 * kBuilds);
      for (double& build : builds) build = 0.01 * std::exp(spread * normal(random));
      std::vector<Moments> runs(builds.size());
      SessionAnalysis analysis = SessionAnalysis::Create(spec).value();
      auto& counts = parts[0].counts;
      while (!analysis.Finished()) {
        const std::vector<Run> block = DrawBlock(random, builds);
        for (const Run& run : block) runs[run.arm].Add(run.samples.front().value);
        if (!analysis.Add(block)) return;
        ++counts[kBlocks];
      }
      const benchd::Report report = analysis.Conclude();
      const Effect& change = *report.comparisons.front().change;
      counts[kLayouts] += LeavesOutZero({*change.lo, *change.hi});
      counts[kOneBuild] += LeavesOutZero(OneBuildEach(runs, alpha));
    };
    const auto counts =
        Repeat(options.repetitions, options.threads, std::vector<Counts<kMethods>>(1), body)[0]
            .counts;
    table.AddRow(
        {Percent(spread), ShareWithTail(counts[kLayouts], options, alpha),
         ShareWithTail(counts[kOneBuild], options, alpha),
         Number(static_cast<double>(counts[kBlocks]) / static_cast<double>(options.repetitions),
                1)});
  }
  return table;
}

}  // namespace

std::string ReplicationReport(const Options& options, Format format) {
  std::string text = "replication: " + std::to_string(options.repetitions) + " repetitions, seed " +
                     std::to_string(options.seed) + "\n\n";
  for (const double alpha : options.alphas) {
    text += Machines(options, alpha).Print(format);
    text += LayoutTable(options, alpha).Print(format);
  }
  return text;
}

}  // namespace benchd::validity
