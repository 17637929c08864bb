#include "core/stats/normality.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/stats/descriptive.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

constexpr std::size_t kFewestForFit = 8;

// Returns ln P(Z > z). Beyond 20 standard deviations, where the tail may be below the smallest
// double, three terms of its asymptotic series leave an error of 1e-7 of the tail.
double LogUpperTail(double z) {
  if (z < 20) return std::log(NormalUpperTail(z));
  const double square = z * z;
  return -square / 2 - std::log(z * std::sqrt(2 * std::numbers::pi)) +
         std::log1p(-1 / square + 3 / (square * square));
}

// The approximation is stated for statistics up to 10. Beyond, its last branch would rise again.
double FitP(double statistic) {
  constexpr double kLargest = 10;
  const double a = std::min(statistic, kLargest);
  if (a < 0.2) return -std::expm1(-13.436 + 101.14 * a - 223.73 * a * a);
  if (a < 0.34) return -std::expm1(-8.318 + 42.796 * a - 59.938 * a * a);
  if (a < 0.6) return std::exp(0.9177 - 4.279 * a - 1.38 * a * a);
  return std::exp(1.2937 - 5.709 * a + 0.0186 * a * a);
}

}  // namespace

std::optional<AndersonDarling> TestNormality(std::span<const double> sorted) {
  assert(std::is_sorted(sorted.begin(), sorted.end()));
  const std::size_t n = sorted.size();
  if (n < kFewestForFit || sorted.front() == sorted.back()) return std::nullopt;
  const Moments moments = MomentsOf(sorted);
  const double sd = moments.standard_deviation();
  if (!(sd > 0) || !std::isfinite(sd)) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double below = (sorted[i] - moments.mean()) / sd;
    const double above = (sorted[n - 1 - i] - moments.mean()) / sd;
    sum += static_cast<double>(2 * i + 1) * (LogUpperTail(-below) + LogUpperTail(above));
  }
  const auto count = static_cast<double>(n);
  const double square = -count - sum / count;
  AndersonDarling result;
  result.statistic = square * (1 + 0.75 / count + 2.25 / (count * count));
  result.p = FitP(result.statistic);
  return result;
}

void SpreadTies(std::span<double> sorted, double resolution) {
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first + 1;
    while (end < sorted.size() && sorted[end] == sorted[first]) ++end;
    const auto equal = static_cast<double>(end - first);
    const double value = sorted[first];
    for (std::size_t i = first; i < end; ++i) {
      const double place = (static_cast<double>(i - first) + 0.5) / equal - 0.5;
      sorted[i] = value + resolution * place;
    }
    first = end;
  }
}

}  // namespace benchd
