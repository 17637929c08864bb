#include "core/stats/rank_tests.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/stats/lattice_tail.h"

namespace benchd {
namespace {

constexpr std::uint64_t kLargestRecursion = 128;

double LargestValue(std::uint64_t n) {
  return static_cast<double>(n) * (static_cast<double>(n) + 1) / 2;
}

// P(V = 0), ..., P(V = last). No term underflows that is not below 1e-300 in the end.
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

// A sum of independent parts, rank i with the chance 1/2.
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
  // V and N - V have the same law.
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

// P(U = 0), ..., P(U = last), m <= n: in how many ways m of the ranks 1..m+n can be chosen, each
// counting the ranks below it that are not.
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

// d/dx log(expm1(x) / x), the mean of a uniform variable tilted by e^x, and its derivative; near 0,
// where they cancel, by their series in Bernoulli numbers.
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

// exp(x + iy) - 1 without cancellation near 0.
std::complex<double> ComplexExpm1(double x, double y) {
  const double half = std::sin(y / 2);
  const double grown = std::exp(x);
  return {std::expm1(x) - 2 * grown * half * half, grown * std::sin(y)};
}

// E z^U = prod_{i=1..m} (1 - z^{n+i}) / (1 - z^i), over its value at z = 1; m <= n.
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
