// Intervals that permit one look, at a number of runs chosen beforehand.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/stats/descriptive.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/paired.h"
#include "core/stats/resampling.h"
#include "core/stats/welch.h"
#include "tests/bench/validity/coverage.h"
#include "tests/bench/validity/repeat.h"
#include "tests/support/pairs.h"

namespace benchd::validity {
namespace {

using Values = std::vector<double>;

// The measurements of one comparison; methods that need fewer take the first ones.
struct Measured {
  Values base;
  Values candidate;
  std::vector<Values> base_runs;  // several samples each, for subselection
  std::vector<Values> candidate_runs;
  std::uint64_t seed = 0;
};

constexpr std::array<std::size_t, 3> kPairs{10, 30, 100};
constexpr std::size_t kMostPairs = 300;
constexpr std::size_t kSampledRuns = 10;
constexpr std::size_t kSamplesOfRun = 20;
constexpr double kLargerRatio = 1.5;

// The interval of one look at a level, minus the truth: it should contain 0.
using IntervalAt = std::function<std::optional<Interval>(double alpha)>;

struct OneLookRow {
  CoverageRow row;
  std::function<IntervalAt(const Measured&)> look;
};

std::span<const double> First(const Values& values, std::size_t n) {
  return std::span(values).first(n);
}

Values Logs(std::span<const double> values) {
  Values logs(values.begin(), values.end());
  for (double& value : logs) value = std::log(value);
  return logs;
}

Values Sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::optional<Interval> IntervalOf(const Result<OneLook>& look) {
  if (!look) return std::nullopt;
  return look->interval;
}

IntervalAt FixedPairs(const Measured& measured, std::size_t n) {
  PairedMoments moments;
  for (std::size_t i = 0; i < n; ++i) moments.Add(measured.base[i], measured.candidate[i]);
  return [n, estimate = EstimateRatio(moments.Centred())](double alpha) {
    return std::optional(PlainInterval(estimate, FixedCriticalT(alpha, n)));
  };
}

IntervalAt Welch(const Moments& base, const Moments& candidate) {
  return [estimate = EstimateWelchRatio(base, candidate)](double alpha) {
    return std::optional(PlainInterval(estimate, FixedCriticalT(alpha, estimate)));
  };
}

IntervalAt FixedCoin(const Measured& measured, std::size_t n) {
  return Welch(MomentsOf(First(measured.base, n)), MomentsOf(First(measured.candidate, n)));
}

IntervalAt Classic(const Measured& measured, std::size_t n, double ratio) {
  const Moments base = MomentsOf(First(measured.base, n));
  Moments candidate;
  for (double value : First(measured.candidate, n)) candidate.Add(ratio * value);
  return [base, candidate, ratio](double alpha) -> std::optional<Interval> {
    const Result<ClassicInterval> classic = ClassicWelchInterval(base, candidate, alpha);
    if (!classic) return std::nullopt;
    const double truth = ratio - 1;
    return Interval{classic->change_interval.lo - truth, classic->change_interval.hi - truth};
  };
}

Values SortedRatios(const Measured& measured, std::size_t n) {
  return Sorted(
      PairValues(First(measured.base, n), First(measured.candidate, n), Contrast::kLogRatio));
}

IntervalAt RanksOfPairs(const Measured& measured, std::size_t n) {
  return [sorted = SortedRatios(measured, n)](double alpha) {
    return IntervalOf(HodgesLehmann(sorted, alpha));
  };
}

IntervalAt RanksOfArms(const Measured& measured, std::size_t n) {
  return [base = Sorted(Logs(First(measured.base, n))),
          candidate = Sorted(Logs(First(measured.candidate, n)))](double alpha) {
    return IntervalOf(HodgesLehmannShift(base, candidate, alpha));
  };
}

IntervalAt Median(const Measured& measured, std::size_t n) {
  return [sorted = SortedRatios(measured, n)](double alpha) {
    return IntervalOf(MedianInterval(sorted, alpha));
  };
}

IntervalAt LognormalMean(const Measured& measured, std::size_t n) {
  return [base = MomentsOf(Logs(First(measured.base, n))),
          candidate = MomentsOf(Logs(First(measured.candidate, n)))](double alpha) {
    return IntervalOf(LognormalMeanRatio(base, candidate, alpha));
  };
}

IntervalAt Quantile(const Measured& measured, std::size_t n, double p, Pairing pairing) {
  const Bootstrap bootstrap =
      QuantileContrast(First(measured.base, n), First(measured.candidate, n), p,
                       Contrast::kLogRatio, pairing, measured.seed)
          .value();
  return [bootstrap, n, p](double alpha) -> std::optional<Interval> {
    if (!QuantileIntervalPossible(n, p, alpha)) return std::nullopt;
    return bootstrap.At(alpha).value();
  };
}

IntervalAt Subselection(const Measured& measured) {
  const auto moments = [&](const std::vector<Values>& runs, std::uint64_t first_run) {
    Moments means;
    for (std::uint64_t run = 0; run < runs.size(); ++run) {
      means.Add(SubselectedMean(runs[run], MeanKind::kArithmetic, measured.seed, first_run + run)
                    .value());
    }
    return means;
  };
  return Welch(moments(measured.base_runs, 0), moments(measured.candidate_runs, kSampledRuns));
}

IntervalAt PooledSamples(const Measured& measured) {
  const auto moments = [](const std::vector<Values>& runs) {
    Moments all;
    for (const Values& run : runs) {
      for (double sample : run) all.Add(sample);
    }
    return all;
  };
  return Welch(moments(measured.base_runs), moments(measured.candidate_runs));
}

CoverageRow At(std::string name, std::size_t n, bool typical_change = false) {
  return {std::move(name), std::to_string(n), typical_change};
}

std::vector<OneLookRow> MakeRows() {
  std::vector<OneLookRow> rows;
  for (std::size_t n : kPairs) {
    rows.push_back({At("fixed, pairs", n), [n](const Measured& m) { return FixedPairs(m, n); }});
  }
  for (std::size_t n : kPairs) {
    rows.push_back({At("fixed, coin", n), [n](const Measured& m) { return FixedCoin(m, n); }});
  }
  for (std::size_t n : kPairs) {
    rows.push_back(
        {At("lognormal-mean", n), [n](const Measured& m) { return LognormalMean(m, n); }});
  }
  rows.push_back(
      {At("hl, pairs", 30, true), [](const Measured& m) { return RanksOfPairs(m, 30); }});
  rows.push_back({At("hl, coin", 30, true), [](const Measured& m) { return RanksOfArms(m, 30); }});
  rows.push_back({At("median, pairs", 30, true), [](const Measured& m) { return Median(m, 30); }});
  rows.push_back({At("quantile:0.5, pairs", 100, true),
                  [](const Measured& m) { return Quantile(m, 100, 0.5, Pairing::kPaired); }});
  rows.push_back({At("quantile:0.9, pairs", 100, true),
                  [](const Measured& m) { return Quantile(m, 100, 0.9, Pairing::kPaired); }});
  rows.push_back({At("quantile:0.9, coin", 100, true),
                  [](const Measured& m) { return Quantile(m, 100, 0.9, Pairing::kIndependent); }});
  rows.push_back({At("quantile:0.95, pairs", kMostPairs, true), [](const Measured& m) {
                    return Quantile(m, kMostPairs, 0.95, Pairing::kPaired);
                  }});
  rows.push_back({{"subselection", "10 runs of 20 samples"}, Subselection});
  rows.push_back({{"(their samples pooled)", "10 runs of 20 samples"}, PooledSamples});
  rows.push_back({At("(--interval classic, ratio 1)", 30),
                  [](const Measured& m) { return Classic(m, 30, 1); }});
  rows.push_back({At("(--interval classic, ratio 1.5)", 30),
                  [](const Measured& m) { return Classic(m, 30, kLargerRatio); }});
  return rows;
}

const std::vector<OneLookRow>& Rows() {
  static const std::vector<OneLookRow> rows = MakeRows();
  return rows;
}

// A run's samples: a common value for the run, and 5 % of variation within it.
Values SamplesOf(double run, BlockSource& within) {
  Values samples(kSamplesOfRun);
  for (double& sample : samples) sample = run * within.Next().base;
  return samples;
}

Measured Measure(const Family& family, std::uint64_t seed, std::uint64_t stream) {
  Measured measured{.seed = stream};
  BlockSource source(family, seed, stream, 0);
  for (std::size_t i = 0; i < kMostPairs; ++i) {
    const Block block = source.Next();
    measured.base.push_back(block.base);
    measured.candidate.push_back(block.candidate);
  }
  BlockSource within(Families().front(), seed, ~stream, 0);
  for (std::size_t i = 0; i < kSampledRuns; ++i) {
    measured.base_runs.push_back(SamplesOf(measured.base[i], within));
    measured.candidate_runs.push_back(SamplesOf(measured.candidate[i], within));
  }
  return measured;
}

}  // namespace

std::span<const CoverageRow> OneLookRows() {
  static const std::vector<CoverageRow> rows = [] {
    std::vector<CoverageRow> all;
    for (const OneLookRow& one : Rows()) all.push_back(one.row);
    return all;
  }();
  return rows;
}

std::vector<std::vector<Misses>> SimulateOneLooks(const Options& options, const Family& family,
                                                  std::uint64_t stream) {
  using ByRow = std::vector<std::vector<Misses>>;
  struct Part {
    std::vector<Misses> levels;
    Part& operator+=(const Part& other) {
      for (std::size_t i = 0; i < levels.size(); ++i) levels[i] += other.levels[i];
      return *this;
    }
  };
  const auto body = [&](std::uint64_t repetition, std::vector<Part>& parts) {
    const Measured measured = Measure(family, options.seed, stream << 56U | repetition);
    for (std::size_t r = 0; r < Rows().size(); ++r) {
      const IntervalAt interval_at = Rows()[r].look(measured);
      for (std::size_t level = 0; level < options.alphas.size(); ++level) {
        const std::optional<Interval> interval = interval_at(options.alphas[level]);
        Misses& misses = parts[r].levels[level];
        ++misses.repetitions;
        misses.absent += !interval;
        misses.missed += interval && (interval->lo > 0 || interval->hi < 0);
      }
    }
  };
  const std::vector<Part> empty(Rows().size(), Part{std::vector<Misses>(options.alphas.size())});
  ByRow by_row;
  for (const Part& part : Repeat(options.repetitions, options.threads, empty, body)) {
    by_row.push_back(part.levels);
  }
  return by_row;
}

}  // namespace benchd::validity
