#include "core/stats/signed_rank.h"

#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
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

}  // namespace benchd
