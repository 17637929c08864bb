#include "core/stats/samples.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace benchd {

Result<void> CheckFinite(std::span<const double> values) {
  if (values.empty()) return InvalidArgument("values", "there is none");
  for (double value : values) {
    if (!std::isfinite(value)) return InvalidArgument("values", "one is not a finite number");
  }
  return {};
}

Result<void> CheckPositive(std::span<const double> values) {
  if (Result<void> finite = CheckFinite(values); !finite) return finite;
  for (double value : values) {
    if (!(value > 0)) {
      return InvalidArgument("values", "one is not greater than 0",
                             "only positive values have a harmonic or geometric mean");
    }
  }
  return {};
}

Moments MomentsOf(std::span<const double> values) {
  Moments moments;
  for (double value : values) moments.Add(value);
  return moments;
}

Result<std::vector<double>> SortedSample(std::span<const double> values) {
  if (Result<void> finite = CheckFinite(values); !finite) return finite.error();
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace benchd
