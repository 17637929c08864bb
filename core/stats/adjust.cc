#include "core/stats/adjust.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace benchd {

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

}  // namespace benchd
