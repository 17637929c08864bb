#include "core/stats/bootstrap.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/stats/quantiles.h"

namespace benchd {

Bootstrap::Bootstrap(double estimate, std::vector<double> replicates)
    : estimate_(estimate), sorted_(std::move(replicates)) {
  std::sort(sorted_.begin(), sorted_.end());
}

Result<Interval> Bootstrap::At(double alpha) const {
  const double smallest = 2 / static_cast<double>(sorted_.size());
  if (!(alpha >= smallest && alpha < 1)) {
    return InvalidArgument("alpha",
                           "a bootstrap of 10 000 resamples needs a level from 0.0002 to 1",
                           "ask for less confidence or fewer gates");
  }
  return Interval{QuantileType7(sorted_, alpha / 2).value(),
                  QuantileType7(sorted_, 1 - alpha / 2).value()};
}

double Bootstrap::PValue(double hypothesis, double widening) const {
  const auto up_to =
      std::upper_bound(sorted_.begin(), sorted_.end(), hypothesis + widening) - sorted_.begin();
  const auto from =
      sorted_.end() - std::lower_bound(sorted_.begin(), sorted_.end(), hypothesis - widening);
  const auto rarer = static_cast<double>(std::min(up_to, from));
  return std::min(1.0, 2 * (1 + rarer) / (1 + static_cast<double>(sorted_.size())));
}

}  // namespace benchd
