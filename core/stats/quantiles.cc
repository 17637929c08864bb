#include "core/stats/quantiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"

namespace benchd {

Result<double> QuantileType7(std::span<const double> sorted, double p) {
  if (sorted.empty()) return InvalidArgument("values", "there is none to take a quantile of");
  if (!(p >= 0 && p <= 1)) return InvalidArgument("quantile", "must lie between 0 and 1");
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace benchd
