#include "tests/bench/validity/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace benchd::validity {
namespace {

// Coefficients of variation of log-normal values whose logs spread by s: sqrt(e^(s^2) - 1).
constexpr double kVariationOfTenth = 0.100250835;
constexpr double kVariationOfHalf = 0.532940351;
constexpr double kVariationOfOne = 1.310832475;
constexpr double kVariationOfOneAndHalf = 2.913394083;

// A family is only ever appended, because its place picks its random numbers. docs/statistics.md
// section 3 promises less for the families whose names begin with `unlike-`, and for limits. In the
// first of these with rare runs, a reference that is five times as steady leaves only the
// candidate's rare slow runs in the difference.
constexpr std::array kFamilies{
    Family{"normal", Shape::kNormal, Shape::kNormal, Machine::kSteady, true},
    Family{"lognormal", Shape::kLogNormal, Shape::kLogNormal, Machine::kSteady},
    Family{"gamma", Shape::kGamma, Shape::kGamma, Machine::kSteady},
    Family{"bimodal-even", Shape::kBimodalEven, Shape::kBimodalEven, Machine::kSteady},
    Family{"bimodal-rare", Shape::kBimodalRare, Shape::kBimodalRare, Machine::kSteady},
    Family{"exponential", Shape::kExponential, Shape::kExponential, Machine::kSteady, true},
    Family{"outlier", Shape::kOutlier, Shape::kOutlier, Machine::kSteady},
    Family{"t3", Shape::kStudent3, Shape::kStudent3, Machine::kSteady},
    Family{"ar", Shape::kNormal, Shape::kNormal, Machine::kAutoregressive, true},
    Family{"walk", Shape::kNormal, Shape::kNormal, Machine::kRandomWalk},
    Family{"trend", Shape::kNormal, Shape::kNormal, Machine::kTrend},
    Family{"step", Shape::kNormal, Shape::kNormal, Machine::kStep},
    Family{"unlike-gamma", Shape::kNormal, Shape::kGamma, Machine::kSteady},
    Family{"unlike-outlier", Shape::kNormal, Shape::kOutlier, Machine::kSteady},
    Family{"unlike-rare", Shape::kNormal, Shape::kRareSlow, Machine::kSteady, false, 0.01},
    Family{"unlike-rarer", Shape::kNormal, Shape::kRarerSlow, Machine::kSteady, false, 0.01},
    Family{.name = "slow-2-by-2",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSteady,
           .slow_share = 0.02,
           .slow_factor = 2},
    Family{.name = "slow-1-by-10",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSteady,
           .slow_share = 0.01,
           .slow_factor = 10},
    Family{.name = "slow-5-by-10",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSteady,
           .limit = true,
           .slow_share = 0.05,
           .slow_factor = 10},
    Family{.name = "slow-1-by-100",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSteady,
           .limit = true,
           .slow_share = 0.01,
           .slow_factor = 100},
    Family{.name = "lognormal-0.1-slow",
           .base = Shape::kFromZero,
           .candidate = Shape::kFromZero,
           .machine = Machine::kSteady,
           .base_variation = kVariationOfTenth,
           .candidate_variation = kVariationOfTenth,
           .slow_share = 0.05,
           .slow_factor = 3},
    Family{.name = "lognormal-1",
           .base = Shape::kFromZero,
           .candidate = Shape::kFromZero,
           .machine = Machine::kSteady,
           .base_variation = kVariationOfOne,
           .candidate_variation = kVariationOfOne,
           .limit = true},
    Family{.name = "lognormal-1.5",
           .base = Shape::kFromZero,
           .candidate = Shape::kFromZero,
           .machine = Machine::kSteady,
           .base_variation = kVariationOfOneAndHalf,
           .candidate_variation = kVariationOfOneAndHalf,
           .limit = true},
    Family{.name = "sine",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSine},
    // exact-t exceeds its level: eight differences of like sign are too likely.
    Family{.name = "bursts",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kBursts,
           .limit = true},
    Family{.name = "opposed",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSteady,
           .pair_correlation = -0.2},
    Family{.name = "ar-arms-0.3",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSteady,
           .limit = true,
           .persistence = 0.3},
    Family{.name = "ar-arms-0.8",
           .base = Shape::kNormal,
           .candidate = Shape::kNormal,
           .machine = Machine::kSteady,
           .limit = true,
           .persistence = 0.8},
    Family{.name = "unlike-lognormal",
           .base = Shape::kFromZero,
           .candidate = Shape::kFromZero,
           .machine = Machine::kSteady,
           .base_variation = kVariationOfHalf,
           .candidate_variation = kVariationOfOne},
};

constexpr double kPersistence = 0.9;
constexpr double kStationaryDeviation = 0.05;
constexpr double kWalkStep = 0.01;
constexpr double kTrendPerBlock = 0.3 / 1000;
constexpr double kStepFactor = 1.2;
constexpr std::uint64_t kStepWithin = 1000;
constexpr double kSineHeight = 0.1;
constexpr double kSinePeriod = 2.1;  // runs
constexpr double kBurstFactor = 1.2;
// A time is positive, so lower values (three in 100 000 of t3's) are moved here.
constexpr double kShortestTime = 0.01;

}  // namespace

std::span<const Family> Families() { return kFamilies; }

double Family::variance() const {
  // A time and its slow factor are independent, so 1 + CV^2 of their product is a product.
  const double slow_square = 1 + slow_share * (slow_factor * slow_factor - 1);
  const double slow = slow_square / (mean() * mean());
  const auto squared = [slow](double variation) { return (1 + variation * variation) * slow - 1; };
  const double of_arms = squared(base_variation) + squared(candidate_variation) -
                         2 * pair_correlation * base_variation * candidate_variation;
  if (machine == Machine::kBursts) return of_arms + std::pow(std::log(kBurstFactor), 2);
  if (machine != Machine::kSine) return of_arms;
  // sin(x + s) - sin(x) = 2 sin(s / 2) cos(x + s / 2), whose square is 2 sin^2(s / 2) on average.
  return of_arms + 2 * std::pow(kSineHeight * std::sin(std::numbers::pi / kSinePeriod), 2);
}

BlockSource::BlockSource(const Family& family, std::uint64_t seed, std::uint64_t stream,
                         double effect)
    : family_(&family), random_(seed, stream), effect_(effect) {
  if (family.machine == Machine::kStep) step_block_ = 1 + random_.Below(kStepWithin);
  if (family.machine == Machine::kAutoregressive) log_factor_ = kStationaryDeviation * Normal();
  if (family.persistence > 0) {
    base_state_ = Normal();
    candidate_state_ = Normal();
  }
}

Block BlockSource::Next() {
  ++blocks_;
  const double machine = MachineFactor();
  Block block;
  block.base = BaseTime(machine);
  block.candidate = CandidateTime(machine);
  const std::uint64_t bits = random_.Next();
  block.candidate_first = (bits >> 63U) != 0;
  const bool first = (bits >> 62U & 1U) != 0;
  const bool second = (bits >> 61U & 1U) != 0;
  block.coin[0] = {first, first ? block.candidate : block.base};
  // The block's own run of the other arm, or a second one of the same arm.
  block.coin[1] = {second, second ? block.candidate : block.base};
  if (first == second) {
    // It is not part of the past of the arms' next runs.
    const std::array past{base_state_, candidate_state_};
    block.coin[1].time = second ? CandidateTime(machine) : BaseTime(machine);
    base_state_ = past[0];
    candidate_state_ = past[1];
  }
  block.base *= RunFactor(block.candidate_first);
  block.candidate *= RunFactor(!block.candidate_first);
  block.coin[0].time *= RunFactor(false);
  block.coin[1].time *= RunFactor(true);
  return block;
}

double BlockSource::Uniform() {
  return (static_cast<double>(random_.Next() >> 11U) + 0.5) * 0x1p-53;
}

double BlockSource::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  for (;;) {
    const double x = 2 * Uniform() - 1;
    const double y = 2 * Uniform() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    const double scale = std::sqrt(-2 * std::log(square) / square);
    spare_normal_ = y * scale;
    has_spare_ = true;
    return x * scale;
  }
}

double BlockSource::Exponential() { return -std::log(Uniform()); }

// With mean 0 and variance 1: each law less its mean, over its standard deviation.
double BlockSource::Draw(Shape shape) {
  constexpr double e = std::numbers::e;
  switch (shape) {
    case Shape::kNormal:
      return Normal();
    case Shape::kLogNormal:
      return (std::exp(Normal()) - std::sqrt(e)) / std::sqrt(e * (e - 1));
    case Shape::kGamma:
      return (-std::log(Uniform() * Uniform()) - 2) / std::numbers::sqrt2;
    case Shape::kBimodalEven:  // variance 1 within, 4 between
      return (Normal() + (Uniform() < 0.5 ? -2 : 2)) / std::sqrt(5.0);
    case Shape::kBimodalRare:  // mean 0.1 * 6, variance 1 + 0.1 * 0.9 * 36
      return (Normal() + (Uniform() < 0.1 ? 6 : 0) - 0.6) / std::sqrt(4.24);
    case Shape::kExponential:
      return Exponential() - 1;
    case Shape::kOutlier:  // mean 0.05 * 5, variance 1 + 0.05 * 2 * 25 - 0.25^2
      return (Normal() + (Uniform() < 0.05 ? 5 * Exponential() : 0) - 0.25) / std::sqrt(3.4375);
    case Shape::kRareSlow:  // mean 0.02 * 10, variance 1 + 0.02 * 2 * 100 - 0.2^2
      return (Normal() + (Uniform() < 0.02 ? 10 * Exponential() : 0) - 0.2) / std::sqrt(4.96);
    case Shape::kRarerSlow:  // mean 0.01 * 20, variance 1 + 0.01 * 2 * 400 - 0.2^2
      return (Normal() + (Uniform() < 0.01 ? 20 * Exponential() : 0) - 0.2) / std::sqrt(8.96);
    case Shape::kFromZero:
      break;                  // Time() draws it
    case Shape::kStudent3: {  // variance 3
      const double a = Normal();
      const double b = Normal();
      const double c = Normal();
      return Normal() / std::sqrt(a * a + b * b + c * c);
    }
  }
  return 0;
}

double BlockSource::Time(Shape shape, double variation) {
  if (shape == Shape::kFromZero) {
    const double log_variance = std::log1p(variation * variation);
    return std::exp(std::sqrt(log_variance) * Normal() - log_variance / 2);
  }
  return std::max(kShortestTime, 1 + variation * Draw(shape));
}

double BlockSource::DependentTime(double variation, double& state) {
  const double past = family_->pair_correlation != 0 ? family_->pair_correlation * base_state_
                                                     : family_->persistence * state;
  const double share = family_->pair_correlation + family_->persistence;
  const bool is_first = family_->pair_correlation != 0 && &state == &base_state_;
  state = is_first ? Normal() : past + std::sqrt(1 - share * share) * Normal();
  return std::max(kShortestTime, 1 + variation * state);
}

double BlockSource::SlowFactor() {
  if (family_->slow_share == 0) return 1;
  return Uniform() < family_->slow_share ? family_->slow_factor : 1;
}

double BlockSource::BaseTime(double machine) {
  const bool depends = family_->pair_correlation != 0 || family_->persistence > 0;
  const double time = depends ? DependentTime(family_->base_variation, base_state_)
                              : Time(family_->base, family_->base_variation);
  return machine * time * SlowFactor();
}

double BlockSource::CandidateTime(double machine) {
  const bool depends = family_->pair_correlation != 0 || family_->persistence > 0;
  const double time = depends ? DependentTime(family_->candidate_variation, candidate_state_)
                              : Time(family_->candidate, family_->candidate_variation);
  return machine * (1 + effect_) * time * SlowFactor();
}

double BlockSource::RunFactor(bool second) const {
  if (family_->machine == Machine::kBursts) return second ? kBurstFactor : 1;
  if (family_->machine != Machine::kSine) return 1;
  const double run = 2 * static_cast<double>(blocks_) + (second ? 1 : 0);
  return 1 + kSineHeight * std::sin(2 * std::numbers::pi * run / kSinePeriod);
}

double BlockSource::MachineFactor() {
  switch (family_->machine) {
    case Machine::kSteady:
      return 1;
    case Machine::kAutoregressive:
      log_factor_ = kPersistence * log_factor_ +
                    kStationaryDeviation * std::sqrt(1 - kPersistence * kPersistence) * Normal();
      return std::exp(log_factor_);
    case Machine::kRandomWalk:
      log_factor_ += kWalkStep * Normal();
      return std::exp(log_factor_);
    case Machine::kTrend:
      return 1 + kTrendPerBlock * static_cast<double>(blocks_);
    case Machine::kStep:
      return blocks_ >= step_block_ ? kStepFactor : 1;
    case Machine::kSine:
    case Machine::kBursts:
      break;  // RunFactor() returns them
  }
  return 1;
}

}  // namespace benchd::validity
