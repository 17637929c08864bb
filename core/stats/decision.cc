#include "core/stats/decision.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "core/stats/exact_t.h"
#include "core/stats/tails.h"

namespace benchd {

LookDecision DecideAgainst(const Interval& interval, double threshold) {
  if (interval.hi < threshold) return LookDecision::kPass;
  if (interval.lo > threshold) return LookDecision::kRegression;
  return LookDecision::kContinue;
}

MarginSide SideOfMargin(const Interval& interval, double threshold) {
  if (interval.lo > threshold) return MarginSide::kAbove;
  if (interval.hi < -threshold) return MarginSide::kBelow;
  const bool within = interval.lo > -threshold && interval.hi < threshold;
  return within ? MarginSide::kWithin : MarginSide::kOpen;
}

LookDecision DecideByWidth(const Interval& interval, double threshold, const Interval& shown,
                           double width) {
  if (!(shown.hi - shown.lo < width)) return LookDecision::kContinue;
  const LookDecision side = DecideAgainst(interval, threshold);
  return side == LookDecision::kContinue ? LookDecision::kUndecided : side;
}

double LowerIsBetterThreshold(double margin) { return std::log1p(margin); }

double RateThreshold(double margin) { return -std::log1p(-margin); }

double LevelOfOneLook(const SequentialBoundary& boundary, double information) {
  return 2 * NormalUpperTail(boundary.ZAtInformation(information));
}

namespace {

double Excess(const PairedEstimate& estimate, double hypothesis) {
  return ExcessDistance(estimate.centre, hypothesis, estimate.allowance);
}

// Returns a normal z whose tail probability is at most that of t. It avoids the incomplete beta
// function at looks that cannot change the result. Source: D. L. Wallace, Ann. Math. Statist. 30
// (1959) 1121-1130.
double LargestNormalEquivalent(double t, double dof) {
  return std::sqrt(dof * std::log1p(t * t / dof));
}

}  // namespace

double GuardedDistance(const PairedEstimate& estimate, double hypothesis) {
  const double excess = Excess(estimate, hypothesis);
  if (excess == 0) return 0;
  if (estimate.se == 0) return std::numeric_limits<double>::infinity();
  const int sign = SignOf(estimate.centre - hypothesis);
  const double t = sign * excess / estimate.se;
  const double k = estimate.kappa;
  const double hall = t + k * t * t / 3 + k * k * t * t * t / 27 + k / 6;
  return std::min(std::abs(t), std::max(0.0, sign * hall));
}

double FixedPValue(const PairedEstimate& estimate, double hypothesis) {
  const double excess = Excess(estimate, hypothesis);
  if (excess == 0) return 1;
  if (estimate.se == 0) return 0;
  return 2 * StudentTUpperTail(excess / estimate.se, static_cast<double>(estimate.n - 1));
}

Finding FindingAgainst(const PairedEstimate& estimate, double hypothesis) {
  return {.distance = GuardedDistance(estimate, hypothesis),
          .dof = static_cast<double>(estimate.n - 1),
          .information = static_cast<double>(estimate.n),
          .direction = SignOf(estimate.centre)};
}

void RunningP::Begin(int direction) {
  if (!looked_) direction_ = direction;
  looked_ = true;
}

template <typename Boundary>
void RunningP::Take(double crossing, int direction, const Boundary& boundary) {
  if (!(crossing > crossing_)) return;
  crossing_ = crossing;
  value_ = boundary.PValue(crossing);
  direction_ = direction;
}

void RunningP::Watch(const Finding& finding, const SequentialBoundary& boundary) {
  Begin(finding.direction);
  if (value_ == 0) return;
  double z = 0;
  if (finding.p) {
    z = NormalUpperQuantile(*finding.p / 2);
  } else {
    const double needed = boundary.ZForCrossingAt(crossing_, finding.information);
    if (LargestNormalEquivalent(finding.distance, finding.dof) <= needed) return;
    z = NormalUpperQuantile(StudentTUpperTail(finding.distance, finding.dof));
  }
  Take(boundary.CrossingAt(z, finding.information), finding.direction, boundary);
}

void RunningP::WatchExact(double t, std::uint64_t n, const ExactTBoundary& boundary) {
  const int side = SignOf(t);
  Begin(side);
  Take(boundary.Crossing(t, n), side, boundary);
}

void RunningP::LookOnce(double p, int direction) {
  value_ = p;
  direction_ = direction;
}

namespace {

constexpr std::uint64_t kBase = 20;
constexpr std::uint64_t kFactor = 21;  // 1.05 = 21 / 20

// The exact value of n0 * (21/20)^j: the digits of n0 * 21^j in base 20, of which the last j are
// fractional.
class GrowingNumber {
 public:
  explicit GrowingNumber(std::uint64_t start) {
    for (std::uint64_t rest = start; rest > 0; rest /= kBase) digits_.push_back(rest % kBase);
  }

  void Grow() {
    std::uint64_t carry = 0;
    for (std::uint64_t& digit : digits_) {
      carry += digit * kFactor;
      digit = carry % kBase;
      carry /= kBase;
    }
    for (; carry > 0; carry /= kBase) digits_.push_back(carry % kBase);
    fraction_ = fraction_ || digits_[places_] != 0;
    ++places_;
  }

  std::uint64_t Ceiling() const {
    std::uint64_t whole = 0;
    for (std::size_t i = digits_.size(); i > places_; --i) whole = whole * kBase + digits_[i - 1];
    return whole + (fraction_ ? 1 : 0);
  }

 private:
  std::vector<std::uint64_t> digits_;  // least significant first
  std::size_t places_ = 0;
  // Since 21 and 20 are coprime, a fraction never becomes an integer again.
  bool fraction_ = false;
};

}  // namespace

std::uint64_t NextGeometricLook(std::uint64_t n, std::uint64_t first_look) {
  assert(first_look > 0);
  GrowingNumber look(first_look);
  while (look.Ceiling() <= n) look.Grow();
  return look.Ceiling();
}

bool IsGeometricLook(std::uint64_t n, std::uint64_t first_look) {
  return n > 0 && NextGeometricLook(n - 1, first_look) == n;
}

std::vector<double> HolmAdjust(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&p_values](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto remaining = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

namespace {

constexpr std::uint64_t kLargestForecast = 1'000'000'000'000;

// Returns the t with the tail probability of z, accurate to 1 % from eight pairs on. Source: D. B.
// Peizer, J. W. Pratt, J. Amer. Statist. Assoc. 63 (1968) 1416-1456, solved for t.
double ApproximateT(double z, double dof) {
  const double scale = dof - 2.0 / 3 + 0.1 / dof;
  return std::sqrt(dof * std::expm1(z * z * (dof - 5.0 / 6) / (scale * scale)));
}

class Forecast {
 public:
  Forecast(const PairedEstimate& estimate, double threshold, const SequentialBoundary& boundary)
      : boundary_(boundary),
        distance_(std::abs(estimate.centre - threshold) - estimate.allowance),
        worse_(estimate.centre > threshold),
        deviation_(estimate.se * std::sqrt(static_cast<double>(estimate.n))),
        skewness_(estimate.kappa * std::sqrt(static_cast<double>(estimate.n))) {}

  bool possible() const { return distance_ > 0; }

  bool Clears(std::uint64_t n) const {
    const auto count = static_cast<double>(n);
    const double t = ApproximateT(boundary_.ZAt(n), count - 1);
    const CriticalValues critical = GuardAgainstSkewness(skewness_ / std::sqrt(count), t);
    return deviation_ / std::sqrt(count) * (worse_ ? critical.low : critical.high) < distance_;
  }

 private:
  const SequentialBoundary& boundary_;
  double distance_;
  bool worse_;
  double deviation_;
  double skewness_;
};

}  // namespace

std::optional<double> ForecastPairs(const PairedEstimate& estimate, double threshold,
                                    const SequentialBoundary& boundary) {
  const Forecast forecast(estimate, threshold, boundary);
  if (estimate.n < 3 || !forecast.possible()) return std::nullopt;
  std::uint64_t high = std::max(estimate.n, boundary.first_look());
  std::uint64_t low = high;
  while (!forecast.Clears(high)) {
    if (high > kLargestForecast) return std::nullopt;
    low = high;
    high *= 2;
  }
  while (high - low > 1 + low / 256) {
    const std::uint64_t middle = low + (high - low) / 2;
    (forecast.Clears(middle) ? high : low) = middle;
  }
  return static_cast<double>(high);
}

std::uint64_t UnitsPerArm(double sd, double half_width, double alpha) {
  constexpr std::uint64_t kMost = 1'000'000;
  const auto wide = [&](std::uint64_t n) {
    const auto units = static_cast<double>(n);
    return !(StudentTUpperQuantile(alpha / 2, 2 * units - 2) * sd * std::sqrt(2 / units) <=
             half_width);
  };
  std::uint64_t low = 1;  // too few
  std::uint64_t high = 2;
  while (high < kMost && wide(high)) low = std::exchange(high, 2 * high);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (wide(middle) ? low : high) = middle;
  }
  return std::min(high, kMost);
}

}  // namespace benchd
