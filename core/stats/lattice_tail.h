#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace benchd {

/// log E exp(c V) of a law and its first two derivatives in c: the mean and the variance of the law
/// tilted by exp(c V).
struct Cumulants {
  double log_moment = 0;
  double mean = 0;
  double variance = 0;
};

/// Lower tails P(V <= k) of a law on 0, 1, 2, ... from its characteristic function: the exact law,
/// where the recursion over all its values would take hours.
///
/// The Fourier inversion sum runs on the circle through the saddle point of the tail, where nothing
/// cancels, so that a tail of 1e-200 keeps its relative accuracy (about 1e-12). What it leaves out
/// is below a rounding error: the circle is sampled finely enough that the aliases of the periodic
/// sum are under e^-37 of the tail, and left early only where the function stays under 1e-24.
/// Source: H. E. Daniels, Annals of Mathematical Statistics 25 (1954) 631-650 (the path); J. Abate,
/// W. Whitt, Queueing Systems 10 (1992) 5-88 (inversion on a circle and its aliasing error).
///
/// `Law` has `Cumulants At(double c) const` for c <= 0 and `Tilted(double c) const`, a function of
/// t that returns E exp((c + it) V) / E exp(c V), or 0 once that is below 1e-26. Internal to stats.
template <typename Law>
class LatticeTail {
 public:
  /// @param tilt  c < 0; best near the saddle point of the k that are asked for.
  LatticeTail(const Law& law, double tilt) : tilt_(tilt), at_(law.At(tilt)) {
    constexpr double kDigits = 37;  // e^-37 = 1e-16
    const double spread = std::sqrt(at_.variance);
    const double log_tail = at_.log_moment - tilt * at_.mean - std::log1p(2.5 * spread * -tilt);
    const double half = std::max(5 * spread, (kDigits - log_tail) / (2 * -tilt));
    const auto points = static_cast<std::int64_t>(std::ceil(half)) + 8;
    circle_ = static_cast<double>(2 * points + 1);
    const auto tilted = law.Tilted(tilt);
    int quiet = 0;
    for (std::int64_t m = 0; m <= points && quiet < kQuietPoints; ++m) {
      const double t = Angle(static_cast<double>(m));
      terms_.push_back(tilted(t) / OneMinusExp(tilt, t));
      quiet = std::abs(terms_.back()) < 1e-24 * terms_.front().real() ? quiet + 1 : 0;
    }
  }

  /// P(V <= k) for k within a standard deviation or so of mean().
  double At(double k) const {
    double sum = terms_.front().real();
    for (std::size_t m = 1; m < terms_.size(); ++m) {
      const double phase = -Angle(static_cast<double>(m)) * k;
      sum += 2 * (terms_[m].real() * std::cos(phase) - terms_[m].imag() * std::sin(phase));
    }
    return std::exp(at_.log_moment - tilt_ * k) * std::max(0.0, sum) / circle_;
  }

  /// Of the tilted law: the k for which the tilt is the saddle point, and the width around it.
  double mean() const { return at_.mean; }
  double spread() const { return std::sqrt(at_.variance); }

 private:
  static constexpr int kQuietPoints = 32;

  double Angle(double m) const { return 2 * std::numbers::pi * m / circle_; }

  // 1 - exp(c + it) without cancellation near 0.
  static std::complex<double> OneMinusExp(double c, double t) {
    const double half = std::sin(t / 2);
    return {-std::expm1(c) + 2 * std::exp(c) * half * half, -std::exp(c) * std::sin(t)};
  }

  double tilt_;
  Cumulants at_;
  double circle_ = 1;                        // number of points on the whole circle, odd
  std::vector<std::complex<double>> terms_;  // of the upper half; the lower mirrors it
};

/// The range of tilts: from "half a standard deviation below the mean" down to -3, where the laws
/// in question sit on their first few values.
template <typename Law>
double GentlestTilt(const Law& law) {
  return -0.5 / std::sqrt(law.At(0).variance);
}
inline constexpr double kSteepestTilt = -3;

/// The root c in the range of tilts of a rising function given with its slope: Newton's method kept
/// inside a shrinking bracket. An end of the range if there is none. A few digits are enough: any
/// tilt gives the right tail, the saddle point gives it without cancellation.
template <typename Function>
double SolveTilt(Function value_and_slope, double gentlest, double start) {
  double low = kSteepestTilt;
  double high = gentlest;
  double c = std::clamp(start, low, high);
  for (int step = 0; step < 60 && high - low > -1e-6 * high; ++step) {
    const auto [value, slope] = value_and_slope(c);
    (value > 0 ? high : low) = c;
    const double newton = c - value / slope;
    const double next = newton > low && newton < high ? newton : low + (high - low) / 2;
    if (std::abs(next - c) < -1e-4 * c) return next;
    c = next;
  }
  return c;
}

/// P(V <= k) for k below the mean of the law.
template <typename Law>
double LowerTail(const Law& law, double k) {
  const Cumulants plain = law.At(0);
  const double tilt = SolveTilt(
      [&](double c) {
        const Cumulants at = law.At(c);
        return std::pair(at.mean - k, at.variance);
      },
      GentlestTilt(law), (k - plain.mean) / plain.variance);
  return std::min(1.0, LatticeTail<Law>(law, tilt).At(k));
}

/// The largest k with P(V <= k) <= level, for level < 1/2; P(V <= 0) <= level must hold.
template <typename Law>
double LargestBelow(const Law& law, double level) {
  const double log_level = std::log(level);
  const Cumulants plain = law.At(0);
  const double z = std::sqrt(std::max(0.25, -2 * log_level));
  double tilt = SolveTilt(
      [&](double c) {
        const Cumulants at = law.At(c);
        const double log_tail = at.log_moment - c * at.mean -
                                std::log(-c * std::sqrt(2 * std::numbers::pi * at.variance));
        return std::pair(log_tail - log_level, -c * at.variance);
      },
      GentlestTilt(law), -z / std::sqrt(plain.variance));
  for (int attempt = 0;; ++attempt) {
    const LatticeTail<Law> tail(law, tilt);
    const auto fits = [&](double k) { return k < 0 || tail.At(k) <= level; };
    double low = std::floor(tail.mean());
    double high = low + 1;
    for (double step = 1; !fits(low); step *= 2) {
      high = low;
      low = std::max(-1.0, low - step);
    }
    for (double step = 1; fits(high); step *= 2) {
      low = high;
      high += step;
    }
    while (high - low > 1) {
      const double middle = std::floor(low + (high - low) / 2);
      (fits(middle) ? low : high) = middle;
    }
    if (attempt == 3 || std::abs(low - tail.mean()) <= 1 + tail.spread() / 2) {
      return std::max(0.0, low);
    }
    tilt = SolveTilt(
        [&](double c) {
          const Cumulants at = law.At(c);
          return std::pair(at.mean - low, at.variance);
        },
        GentlestTilt(law), tilt);
  }
}

}  // namespace benchd
