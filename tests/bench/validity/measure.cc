#include "tests/bench/validity/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/analysis/sequential_design.h"
#include "core/stats/decision.h"
#include "core/stats/mean_interval.h"
#include "core/stats/order_statistics.h"
#include "core/stats/paired.h"
#include "tests/bench/validity/noise.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr std::uint64_t kRuns = 1000;
constexpr std::uint64_t kLateLook = 30;
constexpr double kWidth = 0.01;
constexpr double kSlow = 0.9;
// Separate from the streams of the main tables.
constexpr std::uint64_t kStream = 0x6dU;
constexpr std::uint64_t kTruthStream = 0x6eU;
constexpr std::size_t kDrawsForTruth = 2'000'000;
// The stationary standard deviation of the log factor of `ar` (noise.cc).
constexpr double kFactorDeviation = 0.05;

bool HasMean(const Family& family) {
  return family.machine == Machine::kSteady || family.machine == Machine::kAutoregressive;
}

// What a look at n runs needs; it depends on nothing else, so it is computed once.
struct LookAt {
  double t = 0;
  double late_t = 0;  // if the first look is the thirtieth
  QuantileRanks median;
  QuantileRanks slow;
};

std::vector<LookAt> LooksAt(double alpha) {
  const auto boundary = SequentialBoundary::Robbins(alpha, kFirstLook).value();
  const auto late = SequentialBoundary::Robbins(alpha, kLateLook).value();
  std::vector<LookAt> looks(kRuns + 1);
  for (std::uint64_t n = kFirstLook; n <= kRuns; ++n) {
    const double level = LevelOfOneLook(boundary, static_cast<double>(n));
    looks[n].t = boundary.CriticalT(n);
    if (n >= kLateLook) looks[n].late_t = late.CriticalT(n);
    looks[n].median = RanksOfQuantile(n, 0.5, level);
    looks[n].slow = RanksOfQuantile(n, kSlow, level);
  }
  return looks;
}

struct Truth {
  double mean = 1;
  double median = 1;
  double slow = 1;
};

// The quantiles come from a sample, whose error is a fiftieth of that of a session.
Truth TruthOf(const Family& family, const Options& options, std::uint64_t number) {
  BlockSource source(family, options.seed, number << 56U | kTruthStream << 48U, 0);
  std::vector<double> values(kDrawsForTruth);
  for (double& value : values) value = source.Next().candidate;
  std::ranges::sort(values);
  const bool moves = family.machine == Machine::kAutoregressive;
  return {.mean = family.mean() * (moves ? std::exp(kFactorDeviation * kFactorDeviation / 2) : 1),
          .median = QuantileType7(values, 0.5).value(),
          .slow = QuantileType7(values, kSlow).value()};
}

// The intersection of all looks at one value.
struct Watched {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();

  void Take(const Interval& look) {
    lo = std::max(lo, look.lo);
    hi = std::min(hi, look.hi);
  }
  bool Misses(double truth) const { return truth < lo || truth > hi; }
};

// Whole numbers, so that threads may add them in any order.
struct Misses {
  std::uint64_t mean = 0;
  std::uint64_t below = 0;  // the mean lay below the interval
  std::uint64_t late = 0;
  std::uint64_t median = 0;
  std::uint64_t slow = 0;
  std::uint64_t stopped = 0;
  std::uint64_t runs = 0;  // of those that stopped
  std::uint64_t at_stop = 0;

  Misses& operator+=(const Misses& other) {
    mean += other.mean;
    below += other.below;
    late += other.late;
    median += other.median;
    slow += other.slow;
    stopped += other.stopped;
    runs += other.runs;
    at_stop += other.at_stop;
    return *this;
  }
};

Interval LogInterval(const Moments& values, double t) {
  const Interval logs = SkewedInterval(EstimateLogMean(values), t);
  return {std::exp(logs.lo), std::exp(logs.hi)};
}

Misses WatchOne(const std::vector<LookAt>& looks, BlockSource source, const Truth& truth) {
  Misses misses;
  Moments moments;
  std::vector<double> sorted;
  sorted.reserve(kRuns);
  Watched mean;
  Watched late;
  Watched median;
  Watched slow;
  for (std::uint64_t n = 1; n <= kRuns; ++n) {
    const double value = source.Next().candidate;
    moments.Add(value);
    InsertSorted(sorted, value);
    if (n < kFirstLook) continue;
    const LookAt& look = looks[n];
    mean.Take(LogInterval(moments, look.t));
    if (n >= kLateLook) late.Take(LogInterval(moments, look.late_t));
    const auto take = [&sorted](Watched& watched, double p, const QuantileRanks& ranks) {
      if (const auto interval = QuantileInterval(sorted, p, ranks).interval)
        watched.Take(*interval);
    };
    take(median, 0.5, look.median);
    take(slow, kSlow, look.slow);
    const bool narrow = mean.hi - mean.lo <= kWidth * moments.mean() && moments.mean() >= mean.lo &&
                        moments.mean() <= mean.hi;
    if (misses.stopped > 0 || !narrow) continue;
    misses.stopped = 1;
    misses.runs = n;
    misses.at_stop = mean.Misses(truth.mean);
  }
  misses.mean = mean.Misses(truth.mean);
  misses.below = truth.mean < mean.lo;
  misses.late = late.Misses(truth.mean);
  misses.median = median.Misses(truth.median);
  misses.slow = slow.Misses(truth.slow);
  return misses;
}

}  // namespace

Result<std::string> MeasureReport(const Options& options, Format format) {
  Result<std::vector<const Family*>> families = Chosen(options, Families());
  if (!families) return std::move(families).error();
  const std::uint64_t sessions = options.repetitions;
  std::string text = "measure: " + std::to_string(sessions) + " sessions of a family, seed " +
                     std::to_string(options.seed) + "\n\n";
  for (const double alpha : options.alphas) {
    const std::vector<LookAt> looks = LooksAt(alpha);
    Table table(
        "One arm: % whose interval ever missed the value within 1000 runs, alpha " + Percent(alpha),
        {"family", "mean", "interval above", "mean, --min-runs 30", "median", "quantile:0.9",
         "1 % wide", "after runs", "then missed"});
    for (const Family* family : *families) {
      if (!HasMean(*family)) continue;
      const auto number = static_cast<std::uint64_t>(family - Families().data());
      const Truth truth = TruthOf(*family, options, number);
      const auto body = [&](std::uint64_t i, std::vector<Misses>& misses) {
        const std::uint64_t stream = number << 56U | kStream << 48U | i;
        misses[0] += WatchOne(looks, BlockSource(*family, options.seed, stream, 0), truth);
      };
      const Misses all = Repeat(sessions, options.threads, std::vector<Misses>(1), body)[0];
      const auto stopped = static_cast<double>(std::max<std::uint64_t>(1, all.stopped));
      table.AddRow(
          {std::string(family->name), Share(all.mean, sessions), Share(all.below, sessions),
           Share(all.late, sessions), Share(all.median, sessions), Share(all.slow, sessions),
           Share(all.stopped, sessions), Number(static_cast<double>(all.runs) / stopped, 0),
           Share(all.at_stop, sessions)});
    }
    text += table.Print(format);
  }
  return text;
}

}  // namespace benchd::validity
