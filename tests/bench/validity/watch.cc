#include "tests/bench/validity/watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/stats/decision.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/order_statistics.h"
#include "core/stats/paired.h"
#include "core/stats/rank_tests.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"

namespace benchd::validity {
namespace {

constexpr std::array kSequentialMethods{Method::kPaired,  Method::kLinear, Method::kPairedUnguarded,
                                        Method::kHorizon, Method::kExactT, Method::kHodgesLehmann,
                                        Method::kWelch,   Method::kClassic};
constexpr double kPower = 0.9;

template <typename Boundary>
std::vector<double> Tabulate(const Boundary& boundary, std::uint64_t last) {
  std::vector<double> critical(last + 1);
  for (std::uint64_t n = boundary.first_look(); n <= last; ++n) {
    critical[n] = boundary.CriticalT(n);
  }
  return critical;
}

std::vector<std::uint64_t> TabulateRankCuts(const SequentialBoundary& boundary) {
  std::vector<std::uint64_t> cuts(kLastRankLook + 1, 0);
  const std::uint64_t first = boundary.first_look();
  for (std::uint64_t n = first; n <= kLastRankLook; n = NextGeometricLook(n, first)) {
    cuts[n] = SignedRankCut(n, LevelOfOneLook(boundary, static_cast<double>(n))).value_or(0);
  }
  return cuts;
}

std::vector<std::uint64_t> TabulateMedianCuts(const SequentialBoundary& boundary) {
  std::vector<std::uint64_t> cuts(kLastTimedLook + 1, 0);
  for (std::uint64_t n = boundary.first_look(); n <= kLastTimedLook; ++n) {
    cuts[n] = MedianCut(n, LevelOfOneLook(boundary, static_cast<double>(n))).value_or(0);
  }
  return cuts;
}

// The number of averages (x_i + x_j) / 2, i <= j, that are in order with their bound.
template <typename InOrder>
std::uint64_t CountAverages(std::span<const double> sorted, InOrder in_order) {
  std::uint64_t count = 0;
  std::size_t end = sorted.size();
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && !in_order(sorted[i] / 2 + sorted[end - 1] / 2)) --end;
    count += end - i;
  }
  return count;
}

// The moments of factor * b and c.
CentredMoments WithFactor(CentredMoments moments, double factor) {
  moments.mean_difference -= (factor - 1) * moments.mean_b;
  moments.mean_b *= factor;
  moments.s_bc *= factor;
  moments.s_bcc *= factor;
  moments.s_bb *= factor * factor;
  moments.s_bbc *= factor * factor;
  moments.s_bbb *= factor * factor * factor;
  return moments;
}

// The oracle has one look of its own; the classic loop and welch look by runs.
std::uint64_t FirstLook(const Rule& rule) {
  return rule.method == Method::kOracle ? 2 : rule.level->first_look();
}

// A t quantile is never below the normal one, which is sufficient for most looks.
bool Within(const WelchEstimate& estimate, double threshold, double z) {
  return std::abs(estimate.centre - threshold) <= z * estimate.se;
}

}  // namespace

std::string_view NameOf(Method method) {
  switch (method) {
    case Method::kPaired:
      return "paired";
    case Method::kLinear:
      return "linear";
    case Method::kPairedUnguarded:
      return "no guard";
    case Method::kHorizon:
      return "horizon";
    case Method::kExactT:
      return "exact-t";
    case Method::kHodgesLehmann:
      return "hl";
    case Method::kMedian:
      return "median";
    case Method::kQuantile:
      return "quantile";
    case Method::kLognormalMean:
      return "lognormal-mean";
    case Method::kPrecision:
      return "precision";
    case Method::kWelch:
      return "welch";
    case Method::kClassic:
      return "classic";
    case Method::kOracle:
      return "oracle";
  }
  return "";
}

std::span<const Method> SequentialMethods() { return kSequentialMethods; }

bool AsksForTypicalChange(Method method) {
  return method == Method::kHodgesLehmann || method == Method::kMedian ||
         method == Method::kQuantile;
}

Level::Level(double alpha, const SequentialBoundary& robbins, const SequentialBoundary& horizon,
             const ExactTBoundary& exact)
    : alpha_(alpha),
      robbins_(robbins),
      fixed_z_(NormalUpperQuantile(alpha / 2)),
      robbins_t_(Tabulate(robbins, kLastLook)),
      horizon_t_(Tabulate(horizon, kHorizonPairs)),
      exact_t_(Tabulate(exact, kLastLook)),
      rank_cut_(TabulateRankCuts(robbins)),
      median_cut_(TabulateMedianCuts(robbins)) {}

Result<Level> Level::Make(double alpha, std::uint64_t first_look) {
  Result<SequentialBoundary> robbins = SequentialBoundary::Robbins(alpha, first_look);
  if (!robbins) return std::move(robbins).error();
  Result<SequentialBoundary> horizon =
      SequentialBoundary::Horizon(alpha, first_look, kHorizonPairs);
  if (!horizon) return std::move(horizon).error();
  Result<ExactTBoundary> exact = ExactTBoundary::Make(alpha, first_look);
  if (!exact) return std::move(exact).error();
  return Level(alpha, *robbins, *horizon, *exact);
}

std::uint64_t OraclePairs(double alpha, double effect, double margin, double variance) {
  const double delta = std::log1p(effect) - LowerIsBetterThreshold(margin);
  const double ratio = variance / (delta * delta);
  for (std::uint64_t n = 2;; ++n) {
    const auto dof = static_cast<double>(n - 1);
    const double t = StudentTUpperQuantile(alpha / 2, dof) + StudentTUpperQuantile(1 - kPower, dof);
    if (static_cast<double>(n) >= ratio * t * t) return n;
  }
}

LookDecision DecideByCounts(std::span<const double> sorted, std::uint64_t cut, double threshold) {
  const std::uint64_t averages = sorted.size() * (sorted.size() + 1) / 2;
  const auto below = [threshold](double average) { return average < threshold; };
  if (CountAverages(sorted, below) >= averages + 1 - cut) return LookDecision::kPass;
  const auto up_to = [threshold](double average) { return average <= threshold; };
  if (CountAverages(sorted, up_to) < cut) return LookDecision::kRegression;
  return LookDecision::kContinue;
}

Watch::Watch(std::span<const Rule> rules, double margin)
    : rules_(rules),
      margin_(margin),
      threshold_(LowerIsBetterThreshold(margin)),
      open_(rules.size()),
      outcomes_(rules.size()) {
  for (const Rule& rule : rules) ++Waiting(rule.method);
}

void Watch::Decide(std::size_t rule, LookDecision decision) {
  Outcome& outcome = outcomes_[rule];
  outcome.decision = decision;
  outcome.pairs = pairs_;
  outcome.open = false;
  --open_;
  --Waiting(rules_[rule].method);
}

void Watch::Add(const Block& block) {
  ++pairs_;
  if (Waiting(Method::kClassic) > 0) {
    AddRun(block.candidate_first, block.candidate_first ? block.candidate : block.base);
    AddRun(!block.candidate_first, block.candidate_first ? block.base : block.candidate);
  }
  if (Waiting(Method::kWelch) > 0) {
    for (const CoinRun& run : block.coin) AddCoinRun(run);
  }
  if (Waiting(Method::kHodgesLehmann) + Waiting(Method::kMedian) > 0) {
    InsertSorted(sorted_, *PairValue(block.base, block.candidate, Contrast::kLogRatio));
  }
  if (Waiting(Method::kQuantile) > 0) {
    InsertSorted(sorted_base_, block.base);
    InsertSorted(sorted_candidate_, block.candidate);
  }
  if (Waiting(Method::kLognormalMean) > 0) {
    log_base_.Add(std::log(block.base));
    log_candidate_.Add(std::log(block.candidate));
  }
  if (open_ == Waiting(Method::kClassic) + Waiting(Method::kWelch)) return;
  moments_.Add(block.base, block.candidate);
  if (pairs_ >= 2) LookAtPairs();
}

// Times are positive, so the ratio of their means is always defined.
void Watch::LookAtPairs() {
  const CentredMoments moments = moments_.Centred();
  const PairedEstimate estimate = EstimateRatio(moments);
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!outcomes_[i].open || pairs_ < FirstLook(rules_[i])) continue;
    if (rules_[i].method == Method::kPrecision) {
      LookForWidth(i, estimate);
      continue;
    }
    const LookDecision decision = PairedLook(rules_[i], moments, estimate);
    const bool over = (rules_[i].method == Method::kHorizon && pairs_ == kHorizonPairs) ||
                      (rules_[i].method == Method::kHodgesLehmann && pairs_ == kLastRankLook) ||
                      (rules_[i].method == Method::kOracle && pairs_ == rules_[i].oracle_pairs);
    if (decision != LookDecision::kContinue || over) Decide(i, decision);
  }
}

LookDecision Watch::PairedLook(const Rule& rule, const CentredMoments& moments,
                               const PairedEstimate& estimate) const {
  const Level& level = *rule.level;
  switch (rule.method) {
    case Method::kPaired: {
      Interval interval = GuardedInterval(estimate, level.RobbinsT(pairs_));
      if (rule.pass_level != nullptr) {
        interval.hi = GuardedInterval(estimate, rule.pass_level->RobbinsT(pairs_)).hi;
      }
      return DecideAgainst(interval, threshold_);
    }
    case Method::kLinear:
      return DecideAgainst(
          GuardedInterval(EstimateDifference(WithFactor(moments, LowerIsBetterFactor(margin_))),
                          level.RobbinsT(pairs_)),
          0);
    case Method::kPairedUnguarded:
      return DecideAgainst(PlainInterval(estimate, level.RobbinsT(pairs_)), threshold_);
    case Method::kHorizon:
      return DecideAgainst(GuardedInterval(estimate, level.HorizonT(pairs_)), threshold_);
    case Method::kExactT: {
      const PairedEstimate difference =
          EstimateAgainstFactor(moments, LowerIsBetterFactor(margin_), {});
      return DecideExactT(ExactT(difference, 0), level.ExactT(pairs_));
    }
    case Method::kHodgesLehmann:
      return RankLook(level);
    case Method::kMedian:
      return MedianLook(level);
    case Method::kQuantile:
      return QuantileLook(level);
    case Method::kLognormalMean:
      return LognormalLook(level);
    case Method::kOracle:
      if (pairs_ != rule.oracle_pairs) break;
      return DecideAgainst(PlainInterval(estimate, FixedCriticalT(level.alpha(), pairs_)),
                           threshold_);
    case Method::kPrecision:
    case Method::kWelch:
    case Method::kClassic:
      break;
  }
  return LookDecision::kContinue;
}

LookDecision Watch::RankLook(const Level& level) const {
  if (level.RankCut(pairs_) == 0) return LookDecision::kContinue;
  return DecideByCounts(sorted_, level.RankCut(pairs_), threshold_);
}

LookDecision Watch::MedianLook(const Level& level) const {
  const std::uint64_t cut = level.MedianCutAt(pairs_);
  if (cut == 0) return LookDecision::kContinue;
  return DecideAgainst({sorted_[cut - 1], sorted_[sorted_.size() - cut]}, threshold_);
}

LookDecision Watch::QuantileLook(const Level& level) const {
  if (!IsGeometricLook(pairs_, level.first_look())) return LookDecision::kContinue;
  const Result<OneLook> look =
      CompareQuantiles(sorted_base_, sorted_candidate_, kWatchedQuantile, Contrast::kLogRatio,
                       LevelOfOneLook(level.robbins(), static_cast<double>(pairs_)));
  if (!look || !look->interval) return LookDecision::kContinue;
  return DecideAgainst(*look->interval, threshold_);
}

// The interval is longer than that of the mean of the logs, which is longer than with a normal
// quantile; the last is sufficient for most looks.
LookDecision Watch::LognormalLook(const Level& level) const {
  const auto information = static_cast<double>(pairs_);
  WelchEstimate shortest = EstimateWelchDifference(log_base_, log_candidate_);
  shortest.centre += (log_candidate_.variance() - log_base_.variance()) / 2;
  if (Within(shortest, threshold_, level.robbins().ZAtInformation(information))) {
    return LookDecision::kContinue;
  }
  const Result<OneLook> look =
      LognormalMeanRatio(log_base_, log_candidate_, LevelOfOneLook(level.robbins(), information));
  return look ? DecideAgainst(*look->interval, threshold_) : LookDecision::kContinue;
}

// Whether the interval at the stop misses the truth; without a verdict, the rule has also ended.
void Watch::LookForWidth(std::size_t rule, const PairedEstimate& estimate) {
  const Interval interval = GuardedInterval(estimate, rules_[rule].level->RobbinsT(pairs_));
  if (DecideByWidth(interval, threshold_, ToChange(interval), rules_[rule].width) ==
      LookDecision::kContinue) {
    return;
  }
  Decide(rule, DecideAgainst(interval, threshold_));
}

// The difference against the margin's share of the reference, as in that loop.
void Watch::AddRun(bool candidate, double value) {
  (candidate ? candidate_ : base_).Add(value);
  if (base_.count() < 2 || candidate_.count() < 2) return;
  const WelchEstimate estimate = EstimateWelchDifference(base_, candidate_);
  const double threshold = margin_ * base_.mean();
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].method != Method::kClassic || !outcomes_[i].open) continue;
    const Level& level = *rules_[i].level;
    if (Within(estimate, threshold, level.fixed_z())) continue;
    const Interval interval = PlainInterval(estimate, FixedCriticalT(level.alpha(), estimate));
    const LookDecision decision = DecideAgainst(interval, threshold);
    if (decision != LookDecision::kContinue) Decide(i, decision);
  }
}

void Watch::AddCoinRun(const CoinRun& run) {
  (run.candidate ? coin_candidate_ : coin_base_).Add(run.time);
  if (coin_base_.count() == 0 || coin_candidate_.count() == 0) return;
  const WelchEstimate estimate = EstimateWelchRatio(coin_base_, coin_candidate_);
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].method != Method::kWelch || !outcomes_[i].open) continue;
    const SequentialBoundary& boundary = rules_[i].level->robbins();
    if (!MayLook(estimate, boundary)) continue;
    if (Within(estimate, threshold_, boundary.ZAtInformation(estimate.information))) continue;
    const Interval interval = PlainInterval(estimate, CriticalT(estimate, boundary));
    const LookDecision decision = DecideAgainst(interval, threshold_);
    if (decision != LookDecision::kContinue) Decide(i, decision);
  }
}

}  // namespace benchd::validity
