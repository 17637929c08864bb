#include "core/stats/moments.h"

#include <cmath>

namespace benchd {

void Moments::Add(double value) {
  if (count_ == 0) first_ = value;
  const auto before = static_cast<double>(count_);
  ++count_;
  const auto n = static_cast<double>(count_);
  const double delta = (value - first_) - mean_;
  const double step = delta / n;
  const double term = delta * step * before;
  sum3_ += term * step * (n - 2) - 3 * step * sum2_;
  sum2_ += term;
  mean_ += step;
}

double Moments::variance() const {
  return count_ < 2 ? 0 : sum2_ / static_cast<double>(count_ - 1);
}

double Moments::standard_deviation() const { return std::sqrt(variance()); }

double Moments::skewness() const {
  if (!(sum2_ > 0)) return 0;
  const auto n = static_cast<double>(count_);
  return std::sqrt(n) * sum3_ / (sum2_ * std::sqrt(sum2_));
}

}  // namespace benchd
