#include "core/stats/shape_permutation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/split_mix.h"
#include "core/base/try.h"
#include "core/stats/descriptive.h"

namespace benchd {
namespace {

constexpr int kEnoughAsFar = 10;
constexpr int kFewestPermutations = 99;
// Values that all permutations of one test may move together. One takes about 15 ns.
constexpr std::size_t kMostMoved = 600'000;
// A share of the distance that is attributed to rounding of the means.
constexpr double kShareOfRounding = 1e-12;

double ArmMean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double ArmMedian(std::span<const double> values) {
  return QuantileType7(SortedSample(values).value(), 0.5).value();
}

int PermutationsOf(std::size_t values) {
  return std::clamp(static_cast<int>(kMostMoved / values), kFewestPermutations, kMostPermutations);
}

// The values of both arms in ascending order, which a permutation only labels anew.
class PooledArms {
 public:
  PooledArms(std::span<const double> base, std::span<const double> candidate, Contrast contrast,
             Pairing pairing)
      : contrast_(contrast), pairing_(pairing), n_base_(base.size()) {
    std::vector<double> all(base.begin(), base.end());
    all.insert(all.end(), candidate.begin(), candidate.end());
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&all](std::uint32_t a, std::uint32_t b) { return all[a] < all[b]; });
    for (const std::uint32_t i : order) {
      sorted_.push_back(all[i]);
      const bool of_candidate = i >= n_base_;
      labels_.push_back(of_candidate);
      pair_of_.push_back(static_cast<std::uint32_t>(of_candidate ? i - n_base_ : i));
    }
    permuted_ = labels_;
    swap_.resize(n_base_);
    // One place more than needed, which the value of the other arm overwrites.
    base_.resize(n_base_ + 1);
    candidate_.resize(candidate.size() + 1);
  }

  std::size_t size() const { return sorted_.size(); }

  void Permute(RandomIndex& random) {
    if (pairing_ == Pairing::kPaired) {
      for (std::uint8_t& swap : swap_) swap = static_cast<std::uint8_t>(random.Below(2));
      for (std::size_t i = 0; i < size(); ++i) permuted_[i] = labels_[i] != swap_[pair_of_[i]];
      return;
    }
    for (std::size_t i = size(); i > 1; --i) {
      std::swap(permuted_[i - 1], permuted_[random.Below(static_cast<std::uint32_t>(i))]);
    }
  }

  // Returns the distance of the arms as they are labelled now, each scaled by its own mean. If
  // values below 0 leave an arm without a mean to scale by, the arms count as farthest apart.
  double Distance() {
    double sum = 0;
    double sum_candidate = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      sum += sorted_[i];
      sum_candidate += permuted_[i] * sorted_[i];
    }
    const std::size_t n_candidate = size() - n_base_;
    const Scaling of_base = Scale((sum - sum_candidate) / static_cast<double>(n_base_));
    const Scaling of_candidate = Scale(sum_candidate / static_cast<double>(n_candidate));
    if (!of_base.Valid() || !of_candidate.Valid()) return 1;
    std::size_t b = 0;
    std::size_t c = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      // Without a branch, because it would be mispredicted every second time.
      base_[b] = of_base(sorted_[i]);
      candidate_[c] = of_candidate(sorted_[i]);
      c += permuted_[i];
      b += 1U - permuted_[i];
    }
    return Farthest();
  }

 private:
  // value * factor + shift
  struct Scaling {
    double factor = 1;
    double shift = 0;
    double operator()(double value) const { return value * factor + shift; }
    bool Valid() const { return factor > 0 && std::isfinite(factor) && std::isfinite(shift); }
  };

  Scaling Scale(double mean) const {
    return contrast_ == Contrast::kLogRatio ? Scaling{1 / mean, 0} : Scaling{1, -mean};
  }

  // Returns the distance of base_ and candidate_. Equal values of both arms are passed together,
  // also without a branch.
  double Farthest() const {
    const std::size_t n = n_base_;
    const std::size_t m = size() - n_base_;
    const double step_b = 1 / static_cast<double>(n);
    const double step_c = 1 / static_cast<double>(m);
    double farthest = 0;
    for (std::size_t i = 0, j = 0; i < n && j < m;) {
      const std::size_t pass_b = base_[i] <= candidate_[j] ? 1 : 0;
      const std::size_t pass_c = base_[i] < candidate_[j] ? 0 : 1;
      i += pass_b;
      j += pass_c;
      const double ahead = static_cast<double>(i) * step_b - static_cast<double>(j) * step_c;
      farthest = std::max(farthest, std::abs(ahead));
    }
    return farthest;
  }

  Contrast contrast_;
  Pairing pairing_;
  std::size_t n_base_;
  std::vector<double> sorted_;
  std::vector<std::uint8_t> labels_;  // 1 for the candidate, in the order of `sorted_`
  std::vector<std::uint32_t> pair_of_;
  std::vector<std::uint8_t> permuted_;
  std::vector<std::uint8_t> swap_;  // by pair
  std::vector<double> base_;        // of the current labels, ascending
  std::vector<double> candidate_;
};

// Returns P(D >= observed) from the squares of the permutations' distances beyond their upper
// tenth: with excesses of mean m over u, it is 0.1 exp(-(observed^2 - u) / m).
double TailBeyond(std::vector<double> distances, double observed) {
  for (double& distance : distances) distance *= distance;
  std::sort(distances.begin(), distances.end());
  const std::size_t beyond = distances.size() / 10;
  const double threshold = distances[distances.size() - 1 - beyond];
  double excess = 0;
  for (std::size_t i = distances.size() - beyond; i < distances.size(); ++i) {
    excess += distances[i] - threshold;
  }
  excess /= static_cast<double>(beyond);
  if (!(excess > 0)) return 1;
  const double share = static_cast<double>(beyond) / static_cast<double>(distances.size());
  return share * std::exp(-(observed * observed - threshold) / excess);
}

double PermutationP(PooledArms arms) {
  const double observed = arms.Distance() - kShareOfRounding;
  RandomIndex random(0, arms.size());
  const int most = PermutationsOf(arms.size());
  std::vector<double> distances;
  int as_far = 0;
  while (static_cast<int>(distances.size()) < most) {
    arms.Permute(random);
    distances.push_back(arms.Distance());
    if (distances.back() >= observed && ++as_far == kEnoughAsFar) {
      return static_cast<double>(as_far) / static_cast<double>(distances.size());
    }
  }
  const double p = (1.0 + as_far) / (1.0 + most);
  return as_far > 0 ? p : std::min(p, TailBeyond(std::move(distances), observed));
}

// Returns the candidate with the median of the reference, or as it is if the medians have no ratio
// or no difference.
std::vector<double> Aligned(std::span<const double> base, std::span<const double> candidate,
                            Contrast contrast) {
  const double of_base = ArmMedian(base);
  const double of_candidate = ArmMedian(candidate);
  std::vector<double> aligned(candidate.begin(), candidate.end());
  const bool ratio = contrast == Contrast::kLogRatio;
  if (ratio && !(of_base > 0 && of_candidate > 0)) return aligned;
  for (double& value : aligned) {
    value = ratio ? value * (of_base / of_candidate) : value + (of_base - of_candidate);
  }
  if (!CheckFinite(aligned)) return {candidate.begin(), candidate.end()};
  return aligned;
}

// Returns whether half of `values` lie on either side of the median of `others`, within three
// standard errors of the difference of two medians. For large samples, both errors are binomial.
bool SplitBy(std::span<const double> others, std::span<const double> values) {
  const double median = ArmMedian(others);
  double above = 0;
  for (const double value : values) above += value > median ? 1 : value == median ? 0.5 : 0;
  const auto n = static_cast<double>(values.size());
  const double error = std::sqrt(0.25 / n + 0.25 / static_cast<double>(others.size()));
  return std::abs(above / n - 0.5) <= 3 * error;
}

}  // namespace

Result<double> SameShapeP(std::span<const double> base, std::span<const double> candidate,
                          Contrast contrast, Pairing pairing) {
  TRY_VOID(CheckFinite(base));
  TRY_VOID(CheckFinite(candidate));
  if (pairing == Pairing::kPaired && base.size() != candidate.size()) {
    return InvalidArgument("values", "paired arms must have equal numbers of values");
  }
  if (contrast == Contrast::kLogRatio && !(ArmMean(base) > 0 && ArmMean(candidate) > 0)) {
    return InvalidArgument("values", "a ratio needs means above 0");
  }
  const double aligned =
      PermutationP(PooledArms(base, Aligned(base, candidate, contrast), contrast, pairing));
  const double most = PermutationsOf(base.size() + candidate.size());
  // The test without a change can only raise p, and matters only for a small one.
  if (aligned * (most + 1) > kEnoughAsFar) return aligned;
  if (!SplitBy(base, candidate) || !SplitBy(candidate, base)) return aligned;
  return std::max(aligned, PermutationP(PooledArms(base, candidate, contrast, pairing)));
}

}  // namespace benchd
