#include "core/stats/forecast.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/stats/paired.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

constexpr std::uint64_t kLargestForecast = 1'000'000'000'000;

// The t with the tail of z, within 1 % from eight pairs on: D. B. Peizer, J. W. Pratt, J. Amer.
// Statist. Assoc. 63 (1968) 1416-1456, solved for t.
double ApproximateT(double z, double dof) {
  const double scale = dof - 2.0 / 3 + 0.1 / dof;
  return std::sqrt(dof * std::expm1(z * z * (dof - 5.0 / 6) / (scale * scale)));
}

class Forecast {
 public:
  Forecast(const PairedEstimate& estimate, double threshold, const SequentialBoundary& boundary)
      : boundary_(boundary),
        distance_(std::abs(estimate.centre - threshold) - estimate.widening),
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
