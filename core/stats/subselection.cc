#include "core/stats/subselection.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/result.h"
#include "core/stats/bootstrap.h"
#include "core/stats/descriptive.h"

namespace benchd {
namespace {

static_assert(kSubselections % 2 == 0, "the median is the mean of the two in the middle");

// The mean of a random selection; leaves `values` in another order. Relative to one of them, so
// that equal values have exactly their value as mean.
double SelectionMean(std::vector<double>& values, std::size_t size, RandomIndex& random) {
  const auto n = static_cast<std::uint32_t>(values.size());
  const double anchor = values.front();
  double sum = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::swap(values[i], values[i + random.Below(n - i)]);
    sum += values[i] - anchor;
  }
  return anchor + sum / static_cast<double>(size);
}

}  // namespace

std::size_t SubselectionSize(std::size_t n) { return std::max<std::size_t>(1, (8 * n + 5) / 10); }

Result<double> SubselectedMean(std::span<const double> samples, MeanKind kind, std::uint64_t seed,
                               std::uint64_t run) {
  const bool harmonic = kind == MeanKind::kHarmonic;
  if (Result<void> checked = harmonic ? CheckPositive(samples) : CheckFinite(samples); !checked) {
    return checked.error();
  }
  if (samples.size() > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument("values", "a subselection takes 2^31 at most");
  }
  std::vector<double> values(samples.begin(), samples.end());
  if (harmonic) {
    for (double& value : values) value = 1 / value;
  }
  RandomIndex random(seed, run);
  const std::size_t size = SubselectionSize(values.size());
  std::array<double, kSubselections> means{};
  for (double& mean : means) {
    mean = SelectionMean(values, size, random);
    if (harmonic) mean = 1 / mean;
  }
  std::sort(means.begin(), means.end());
  return means[kSubselections / 2 - 1] / 2 + means[kSubselections / 2] / 2;
}

}  // namespace benchd
