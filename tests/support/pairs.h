#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/stats/paired.h"

namespace benchd {

/// PairValue() of each pair of two arms of equal length, in the order given.
inline std::vector<double> PairValues(std::span<const double> reference,
                                      std::span<const double> candidate, Contrast contrast) {
  std::vector<double> pairs;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    pairs.push_back(PairValue(reference[i], candidate[i], contrast).value());
  }
  return pairs;
}

}  // namespace benchd
