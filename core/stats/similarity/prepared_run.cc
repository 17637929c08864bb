#include "core/stats/similarity/prepared_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace benchd {
namespace {

// Four sums side by side: the additions of one would wait for each other.
template <typename Term>
double Sum(std::size_t n, Term term) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += term(i + k);
  }
  for (; i < n; ++i) sums[0] += term(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double Dot(const std::vector<double>& x, const std::vector<double>& y) {
  return Sum(x.size(), [&x, &y](std::size_t i) { return x[i] * y[i]; });
}

double Mean(const std::vector<double>& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum / static_cast<long double>(values.size()));
}

double Cosine(const std::vector<double>& x, double norm_x, const std::vector<double>& y,
              double norm_y) {
  if (norm_x == 0 && norm_y == 0) return 1;
  if (norm_x == 0 || norm_y == 0) return 0;
  return Dot(x, y) / (norm_x * norm_y);
}

double EuclideanDistance(const std::vector<double>& x, double scale_x, const std::vector<double>& y,
                         double scale_y) {
  return std::sqrt(Sum(x.size(), [&](std::size_t i) {
    const double difference = scale_x * x[i] - scale_y * y[i];
    return difference * difference;
  }));
}

double WaveHedges(const std::vector<double>& x, double scale_x, const std::vector<double>& y,
                  double scale_y) {
  return Sum(x.size(), [&](std::size_t i) {
    const double a = scale_x * x[i];
    const double b = scale_y * y[i];
    const double larger = std::max(std::abs(a), std::abs(b));
    return larger > 0 ? std::abs(a - b) / larger : 0;
  });
}

}  // namespace

PreparedRun::PreparedRun(std::span<const double> series)
    : values(series.begin(), series.end()), scaled(values), sorted(values) {
  std::sort(sorted.begin(), sorted.end());
  std::frexp(std::max(std::abs(sorted.front()), std::abs(sorted.back())), &exponent);
  for (double& value : scaled) value = std::ldexp(value, -exponent);
  norm = std::sqrt(Dot(scaled, scaled));
  centred.assign(values.size(), 0);
  if (sorted.front() == sorted.back()) return;
  const double mean = Mean(scaled);
  for (std::size_t i = 0; i < centred.size(); ++i) centred[i] = scaled[i] - mean;
  centred_norm = std::sqrt(Dot(centred, centred));
}

RunPairSums SumsOf(const PreparedRun& x, const PreparedRun& y) {
  const int larger = std::max(x.exponent, y.exponent);
  const double scale_x = std::ldexp(1, x.exponent - larger);
  const double scale_y = std::ldexp(1, y.exponent - larger);
  RunPairSums sums;
  sums.cosine = Cosine(x.scaled, x.norm, y.scaled, y.norm);
  sums.correlation = Cosine(x.centred, x.centred_norm, y.centred, y.centred_norm);
  sums.distance = EuclideanDistance(x.scaled, scale_x, y.scaled, scale_y);
  sums.centred_distance = EuclideanDistance(x.centred, scale_x, y.centred, scale_y);
  sums.norm_x = scale_x * x.norm;
  sums.norm_y = scale_y * y.norm;
  sums.centred_norm_x = scale_x * x.centred_norm;
  sums.centred_norm_y = scale_y * y.centred_norm;
  sums.wave_hedges = WaveHedges(x.scaled, scale_x, y.scaled, scale_y);
  const double high =
      std::max(std::ldexp(x.sorted.back(), -larger), std::ldexp(y.sorted.back(), -larger));
  const double low =
      std::min(std::ldexp(x.sorted.front(), -larger), std::ldexp(y.sorted.front(), -larger));
  sums.range = high - low;
  return sums;
}

}  // namespace benchd
