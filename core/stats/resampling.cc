#include "core/stats/resampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/try.h"

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
                           "use a lower confidence, or fewer gates");
  }
  return Interval{QuantileType7(sorted_, alpha / 2).value(),
                  QuantileType7(sorted_, 1 - alpha / 2).value()};
}

double Bootstrap::PValue(double hypothesis, double allowance) const {
  const auto up_to =
      std::upper_bound(sorted_.begin(), sorted_.end(), hypothesis + allowance) - sorted_.begin();
  const auto from =
      sorted_.end() - std::lower_bound(sorted_.begin(), sorted_.end(), hypothesis - allowance);
  const auto rarer = static_cast<double>(std::min(up_to, from));
  return std::min(1.0, 2 * (1 + rarer) / (1 + static_cast<double>(sorted_.size())));
}

namespace {

// One arm, prepared for resampling. A resample is stored as the number of times that each sorted
// value was drawn, so its quantile needs no sorting.
class ResampledArm {
 public:
  ResampledArm(std::span<const double> values, double p)
      : sorted_(values.begin(), values.end()), ranks_(values.size()), counts_(values.size()) {
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks_[order[rank]] = rank;
    std::sort(sorted_.begin(), sorted_.end());
    const double position = p * static_cast<double>(size() - 1);
    below_ = static_cast<std::uint32_t>(std::floor(position));
    weight_ = position - static_cast<double>(below_);
    quantile_ = QuantileType7(sorted_, p).value();
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(sorted_.size()); }
  double quantile() const { return quantile_; }

  void Clear() { std::fill(counts_.begin(), counts_.end(), 0U); }
  void Draw(std::uint32_t index) { ++counts_[ranks_[index]]; }

  // Returns the type-7 quantile that QuantileType7() would return for the resample of size()
  // values.
  double ResampledQuantile() const {
    std::size_t at = 0;
    std::uint32_t seen = counts_[0];
    while (seen < below_ + 1) seen += counts_[++at];
    const double lower = sorted_[at];
    if (weight_ == 0) return lower;
    while (seen < below_ + 2) seen += counts_[++at];
    return lower + weight_ * (sorted_[at] - lower);
  }

 private:
  std::vector<double> sorted_;
  std::vector<std::uint32_t> ranks_;  // rank of each value, in the order of the input
  std::vector<std::uint32_t> counts_;
  std::uint32_t below_ = 0;  // the quantile lies between this order statistic and the next
  double weight_ = 0;
  double quantile_ = 0;
};

Result<void> CheckArm(std::span<const double> values, Contrast contrast) {
  if (values.size() < kFewestForQuantile) {
    return InvalidArgument("runs", "a quantile needs at least 100 values per arm",
                           "use --runs 100 or more");
  }
  if (values.size() > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument("values", "a bootstrap takes at most 2^31 values");
  }
  return contrast == Contrast::kLogRatio ? CheckPositive(values) : CheckFinite(values);
}

Result<void> CheckValues(std::span<const double> reference, std::span<const double> candidate,
                         double p, Contrast contrast, Pairing pairing) {
  if (!(p > 0 && p < 1)) {
    return InvalidArgument("estimator", "the P of quantile:P must lie between 0 and 1",
                           "such as quantile:0.99");
  }
  TRY_VOID(CheckArm(reference, contrast));
  TRY_VOID(CheckArm(candidate, contrast));
  if (pairing == Pairing::kPaired && reference.size() != candidate.size()) {
    return InvalidArgument("values", "paired arms must have equal numbers of values");
  }
  return {};
}

}  // namespace

Result<Bootstrap> QuantileContrast(std::span<const double> reference,
                                   std::span<const double> candidate, double p, Contrast contrast,
                                   Pairing pairing, std::uint64_t seed) {
  TRY_VOID(CheckValues(reference, candidate, p, contrast, pairing));
  const auto compare = [contrast](double b, double c) {
    return PairValue(b, c, contrast).value();  // checked above
  };
  ResampledArm b(reference, p);
  ResampledArm c(candidate, p);
  RandomIndex random(seed);
  std::vector<double> replicates;
  replicates.reserve(kBootstrapReplicates);
  for (int replicate = 0; replicate < kBootstrapReplicates; ++replicate) {
    b.Clear();
    c.Clear();
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      const std::uint32_t block = random.Below(b.size());
      b.Draw(block);
      if (pairing == Pairing::kPaired) c.Draw(block);
    }
    if (pairing == Pairing::kIndependent) {
      for (std::uint32_t i = 0; i < c.size(); ++i) c.Draw(random.Below(c.size()));
    }
    replicates.push_back(compare(b.ResampledQuantile(), c.ResampledQuantile()));
  }
  return Bootstrap(compare(b.quantile(), c.quantile()), std::move(replicates));
}

bool QuantileIntervalPossible(std::size_t n, double p, double alpha) {
  return std::pow(std::max(p, 1 - p), static_cast<double>(n)) <= alpha / 2;
}

namespace {

static_assert(kSubselections % 2 == 0, "the median is the mean of the two in the middle");

// Returns the mean of a random selection; reorders `values`. The mean is computed relative to one
// of the values, so that the mean of equal values is exactly that value.
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
  TRY_VOID(harmonic ? CheckPositive(samples) : CheckFinite(samples));
  if (samples.size() > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument("values", "a subselection takes at most 2^31 values");
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
