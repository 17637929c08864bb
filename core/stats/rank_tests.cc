#include "core/stats/rank_tests.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace benchd {
namespace {

/// The value of log E exp(c V) for a law, and its first two derivatives in c, which are the mean
/// and the variance of the law tilted by exp(c V).
struct Cumulants {
  double log_moment = 0;
  double mean = 0;
  double variance = 0;
};

/// Lower tails P(V <= k) of a law on 0, 1, 2, ..., computed from its characteristic function, for
/// sizes at which the recursion over all values would take hours.
///
/// The Fourier inversion sum runs on the circle through the saddle point of the tail, where terms
/// do not cancel, so a tail of 1e-200 keeps its relative accuracy (about 1e-12). The truncation
/// error is below rounding: the circle is sampled finely enough that the aliases of the periodic
/// sum are below e^-37 of the tail, and the sum stops early only where the function stays below
/// 1e-24.
/// Source: H. E. Daniels, Annals of Mathematical Statistics 25 (1954) 631-650 (the path); J. Abate,
/// W. Whitt, Queueing Systems 10 (1992) 5-88 (inversion on a circle and its aliasing error).
///
/// `Law` must have `Cumulants At(double c) const` for c <= 0, and `Tilted(double c) const`, which
/// returns a function of t. That function returns E exp((c + it) V) / E exp(c V), or 0 once this is
/// below 1e-26.
template <typename Law>
class LatticeTail {
 public:
  /// @param tilt  c < 0; best near the saddle point of the k of interest.
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

  /// Returns P(V <= k) for k within about one standard deviation of mean().
  double At(double k) const {
    double sum = terms_.front().real();
    for (std::size_t m = 1; m < terms_.size(); ++m) {
      const double phase = -Angle(static_cast<double>(m)) * k;
      sum += 2 * (terms_[m].real() * std::cos(phase) - terms_[m].imag() * std::sin(phase));
    }
    return std::exp(at_.log_moment - tilt_ * k) * std::max(0.0, sum) / circle_;
  }

  /// Returns the mean or the standard deviation of the tilted law. Its tilt is the saddle point for
  /// k = mean().
  double mean() const { return at_.mean; }
  double spread() const { return std::sqrt(at_.variance); }

 private:
  static constexpr int kQuietPoints = 32;

  double Angle(double m) const { return 2 * std::numbers::pi * m / circle_; }

  // Returns 1 - exp(c + it) without cancellation near 0.
  static std::complex<double> OneMinusExp(double c, double t) {
    const double half = std::sin(t / 2);
    return {-std::expm1(c) + 2 * std::exp(c) * half * half, -std::exp(c) * std::sin(t)};
  }

  double tilt_;
  Cumulants at_;
  double circle_ = 1;                        // number of points on the whole circle, odd
  std::vector<std::complex<double>> terms_;  // upper half; the lower half mirrors it
};

/// Returns the upper end of the range of tilts, which belongs to half a standard deviation below
/// the mean. The lower end is -3, where these laws are concentrated on their first few values.
template <typename Law>
double GentlestTilt(const Law& law) {
  return -0.5 / std::sqrt(law.At(0).variance);
}
inline constexpr double kSteepestTilt = -3;

/// Finds the root c of a rising function, given with its slope, in the range of tilts, by Newton's
/// method within a shrinking bracket. Returns an end of the range if there is no root. A few digits
/// suffice: any tilt gives the correct tail, and a tilt near the saddle point avoids cancellation.
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

/// Returns P(V <= k) for k below the mean of the law.
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

/// Returns the largest k with P(V <= k) <= level, for level < 1/2. P(V <= 0) <= level must hold.
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

constexpr std::uint64_t kLargestRecursion = 128;

double LargestValue(std::uint64_t n) {
  return static_cast<double>(n) * (static_cast<double>(n) + 1) / 2;
}

// Returns P(V = 0), ..., P(V = last). Terms underflow only if the final value is below 1e-300.
std::vector<double> SignedRankProbabilities(std::uint64_t n, std::uint64_t last) {
  std::vector<double> law(last + 1);
  law[0] = 1;
  for (std::uint64_t rank = 1; rank <= n; ++rank) {
    for (std::uint64_t k = last + 1; k-- > 0;) {
      law[k] = (law[k] + (k >= rank ? law[k - rank] : 0)) / 2;
    }
  }
  return law;
}

// The law of a sum of independent terms: rank i is added with probability 1/2.
class SignedRankLaw {
 public:
  explicit SignedRankLaw(std::uint64_t n) : n_(n) {}

  Cumulants At(double c) const {
    Cumulants at;
    for (std::uint64_t i = 1; i <= n_; ++i) {
      const auto rank = static_cast<double>(i);
      const double grown = std::exp(c * rank);
      const double chance = grown / (1 + grown);
      at.log_moment += std::log1p(std::expm1(c * rank) / 2);
      at.mean += rank * chance;
      at.variance += rank * rank * chance / (1 + grown);
    }
    return at;
  }

  auto Tilted(double c) const {
    std::vector<double> chances(n_);
    for (std::uint64_t i = 1; i <= n_; ++i) {
      const double grown = std::exp(c * static_cast<double>(i));
      chances[i - 1] = grown / (1 + grown);
    }
    return [chances = std::move(chances)](double t) {
      std::complex<double> product = 1;
      for (std::size_t i = 0; i < chances.size(); ++i) {
        const double half = t * static_cast<double>(i + 1) / 2;
        const double sine = std::sin(half);
        // 1 + chance (e^{2 i half} - 1)
        product *= std::complex<double>(1 - 2 * chances[i] * sine * sine,
                                        2 * chances[i] * sine * std::cos(half));
        if (std::norm(product) < 1e-52) return std::complex<double>(0);
      }
      return product;
    };
  }

 private:
  std::uint64_t n_;
};

}  // namespace

double SignedRankLowerTail(std::uint64_t n, std::uint64_t k) {
  assert(n > 0);
  const double largest = LargestValue(n);
  const auto value = static_cast<double>(k);
  if (value >= largest) return 1;
  // V and its mirror image N - V have the same law.
  if (value > (largest - 1) / 2) {
    const auto mirrored = static_cast<std::uint64_t>(largest - 1 - value);
    return 1 - SignedRankLowerTail(n, mirrored);
  }
  if (n > kLargestRecursion) return LowerTail(SignedRankLaw(n), value);
  double sum = 0;
  for (double probability : SignedRankProbabilities(n, k)) sum += probability;
  return sum;
}

std::optional<std::uint64_t> SignedRankCut(std::uint64_t n, double alpha) {
  assert(n > 0 && alpha > 0 && alpha < 1);
  const double level = alpha / 2;
  if (std::exp2(-static_cast<double>(n)) > level) return std::nullopt;
  if (n > kLargestRecursion) {
    return static_cast<std::uint64_t>(LargestBelow(SignedRankLaw(n), level)) + 1;
  }
  std::uint64_t cut = 0;
  double sum = 0;
  for (double probability :
       SignedRankProbabilities(n, static_cast<std::uint64_t>(LargestValue(n) / 2))) {
    sum += probability;
    if (sum > level) break;
    ++cut;
  }
  return cut;
}

namespace {

constexpr std::uint64_t kLargestCounted = 2500;

double LogChoices(std::uint64_t m, std::uint64_t n) {
  double log_choices = 0;
  for (std::uint64_t i = 1; i <= m; ++i) {
    log_choices += std::log1p(static_cast<double>(n) / static_cast<double>(i));
  }
  return log_choices;
}

// Returns P(U = 0), ..., P(U = last) for m <= n, by counting the ways to choose m of the ranks
// 1..m+n. U is the number of pairs of a chosen rank and a lower rank that is not chosen.
std::vector<double> RankSumProbabilities(std::uint64_t m, std::uint64_t n, std::uint64_t last) {
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(last + 1));
  ways[0][0] = 1;
  for (std::uint64_t rank = 1; rank <= m + n; ++rank) {
    for (std::uint64_t chosen = std::min(m, rank); chosen >= 1; --chosen) {
      const std::uint64_t below = rank - chosen;
      if (below > n) break;
      for (std::uint64_t u = below; u <= last; ++u) {
        ways[chosen][u] += ways[chosen - 1][u - below];
      }
    }
  }
  const double all = std::exp(LogChoices(m, n));
  for (double& count : ways[m]) count /= all;
  return std::move(ways[m]);
}

// Returns d/dx log(expm1(x) / x), the mean of a uniform variable tilted by e^x, or its derivative.
// Near 0, where terms would cancel, the Bernoulli series is used.
double MeanOfUniform(double x) {
  if (std::abs(x) > 0.1) return -1 / std::expm1(-x) - 1 / x;
  const double y = x * x;
  return 0.5 + x * (1.0 / 12 - y * (1.0 / 720 - y * (1.0 / 30240 - y / 1209600)));
}
double VarianceOfUniform(double x) {
  if (std::abs(x) > 0.1) {
    const double sinh = std::sinh(x / 2);
    return 1 / (x * x) - 1 / (4 * sinh * sinh);
  }
  const double y = x * x;
  return 1.0 / 12 - y * (1.0 / 240 - y * (1.0 / 6048 - y / 172800));
}

// Returns exp(x + iy) - 1 without cancellation near 0.
std::complex<double> ComplexExpm1(double x, double y) {
  const double half = std::sin(y / 2);
  const double grown = std::exp(x);
  return {std::expm1(x) - 2 * grown * half * half, grown * std::sin(y)};
}

// The law of U with E z^U = prod_{i=1..m} (1 - z^{n+i}) / (1 - z^i), divided by the value of the
// product at z = 1; m <= n.
class RankSumLaw {
 public:
  RankSumLaw(std::uint64_t m, std::uint64_t n) : m_(m), n_(n) {}

  Cumulants At(double c) const {
    Cumulants at;
    for (std::uint64_t i = 1; i <= m_; ++i) {
      const auto small = static_cast<double>(i);
      const auto large = static_cast<double>(n_ + i);
      const double x = c * small;
      const double y = c * large;
      if (c != 0) at.log_moment += std::log(std::expm1(y) / y) - std::log(std::expm1(x) / x);
      at.mean += large * MeanOfUniform(y) - small * MeanOfUniform(x);
      at.variance += large * large * VarianceOfUniform(y) - small * small * VarianceOfUniform(x);
    }
    return at;
  }

  auto Tilted(double c) const {
    return [c, law = *this](double t) {
      std::complex<double> product = 1;
      for (std::uint64_t i = 1; i <= law.m_; ++i) {
        const auto small = static_cast<double>(i);
        const auto large = static_cast<double>(law.n_ + i);
        product *= ComplexExpm1(c * large, t * large) / ComplexExpm1(c * small, t * small) *
                   (std::expm1(c * small) / std::expm1(c * large));
      }
      return std::norm(product) < 1e-52 ? std::complex<double>(0) : product;
    };
  }

 private:
  std::uint64_t m_;
  std::uint64_t n_;
};

}  // namespace

double RankSumLowerTail(std::uint64_t m, std::uint64_t n, std::uint64_t u) {
  assert(m > 0 && n > 0);
  const std::uint64_t largest = m * n;
  if (u >= largest) return 1;
  // U and m n - U have the same law.
  if (u > (largest - 1) / 2) return 1 - RankSumLowerTail(m, n, largest - 1 - u);
  const auto [small, large] = std::minmax(m, n);
  if (largest > kLargestCounted) return LowerTail(RankSumLaw(small, large), static_cast<double>(u));
  double sum = 0;
  for (double probability : RankSumProbabilities(small, large, u)) sum += probability;
  return sum;
}

std::optional<std::uint64_t> RankSumCut(std::uint64_t m, std::uint64_t n, double alpha) {
  assert(m > 0 && n > 0 && alpha > 0 && alpha < 1);
  const double level = alpha / 2;
  const auto [small, large] = std::minmax(m, n);
  if (std::exp(-LogChoices(small, large)) > level) return std::nullopt;
  if (m * n > kLargestCounted) {
    return static_cast<std::uint64_t>(LargestBelow(RankSumLaw(small, large), level)) + 1;
  }
  std::uint64_t cut = 0;
  double sum = 0;
  for (double probability : RankSumProbabilities(small, large, m * n / 2)) {
    sum += probability;
    if (sum > level) break;
    ++cut;
  }
  return cut;
}

}  // namespace benchd
