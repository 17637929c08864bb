#include "tests/bench/validity/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace benchd::validity {
namespace {

// docs/statistics.md section 3 promises less for the last four. In the last two, a reference that
// is five times as steady leaves only the candidate's rare slow runs in the difference.
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
};

constexpr double kPersistence = 0.9;
constexpr double kStationaryDeviation = 0.05;
constexpr double kWalkStep = 0.01;
constexpr double kTrendPerBlock = 0.3 / 1000;
constexpr double kStepFactor = 1.2;
constexpr std::uint64_t kStepWithin = 1000;
// A time is positive, so lower values (three in 100 000 of t3's) are moved here.
constexpr double kShortestTime = 0.01;

}  // namespace

std::span<const Family> Families() { return kFamilies; }

BlockSource::BlockSource(const Family& family, std::uint64_t seed, std::uint64_t stream,
                         double effect)
    : family_(&family), random_(seed, stream), effect_(effect) {
  if (family.machine == Machine::kStep) step_block_ = 1 + random_.Below(kStepWithin);
  if (family.machine == Machine::kAutoregressive) log_factor_ = kStationaryDeviation * Normal();
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
    block.coin[1].time = second ? CandidateTime(machine) : BaseTime(machine);
  }
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

double BlockSource::BaseTime(double machine) {
  return machine * Time(family_->base, family_->base_variation);
}

double BlockSource::CandidateTime(double machine) {
  return machine * (1 + effect_) * Time(family_->candidate, family_->candidate_variation);
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
  }
  return 1;
}

}  // namespace benchd::validity
