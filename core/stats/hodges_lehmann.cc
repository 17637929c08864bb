#include "core/stats/hodges_lehmann.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/base/result.h"
#include "core/stats/descriptive.h"
#include "core/stats/rank_tests.h"

namespace benchd {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

Result<void> CheckSorted(std::span<const double> sorted) {
  assert(std::is_sorted(sorted.begin(), sorted.end()));
  return CheckFinite(sorted);
}

Result<void> CheckLevel(double alpha) {
  if (alpha > 0 && alpha < 1) return {};
  return InvalidArgument("alpha", "must lie between 0 and 1");
}

// The doubles in their order as whole numbers in theirs, and back.
std::int64_t RankOfDouble(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // -0 becomes 0
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double DoubleOfRank(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

// A family of values that is too large to list and can only be counted: the Walsh averages of a
// sample. Rounding keeps their order (x + y is monotone in both), so counts are exact.
class WalshAverages {
 public:
  explicit WalshAverages(std::span<const double> sorted) : sorted_(sorted) {}

  std::uint64_t size() const { return sorted_.size() * (sorted_.size() + 1) / 2; }
  double smallest() const { return sorted_.front(); }
  double largest() const { return sorted_.back(); }

  std::uint64_t CountUpTo(double bound) const {
    std::uint64_t count = 0;
    std::size_t end = sorted_.size();  // partners of i are i .. end - 1
    for (std::size_t i = 0; i < end; ++i) {
      while (end > i && sorted_[i] / 2 + sorted_[end - 1] / 2 > bound) --end;
      count += end - i;
    }
    return count;
  }

 private:
  std::span<const double> sorted_;
};

// All differences candidate - reference of two samples.
class Differences {
 public:
  Differences(std::span<const double> reference, std::span<const double> candidate)
      : reference_(reference), candidate_(candidate) {}

  std::uint64_t size() const { return std::uint64_t{reference_.size()} * candidate_.size(); }
  double smallest() const { return candidate_.front() - reference_.back(); }
  double largest() const { return candidate_.back() - reference_.front(); }

  std::uint64_t CountUpTo(double bound) const {
    std::uint64_t count = 0;
    std::size_t end = 0;  // candidates before it are close enough to this reference
    for (double reference : reference_) {
      while (end < candidate_.size() && candidate_[end] - reference <= bound) ++end;
      count += end;
    }
    return count;
  }

 private:
  std::span<const double> reference_;
  std::span<const double> candidate_;
};

// The k-th smallest, k = 1 .. size().
template <typename Family>
double Select(const Family& family, std::uint64_t k) {
  std::int64_t low = RankOfDouble(family.smallest());
  std::int64_t high = RankOfDouble(family.largest());
  while (low < high) {
    // Of opposite signs their distance may not fit, their mean always does.
    const std::int64_t middle = (low & high) + ((low ^ high) >> 1);
    if (family.CountUpTo(DoubleOfRank(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return DoubleOfRank(low);
}

template <typename Family>
OneLook LookAt(const Family& family, std::optional<std::uint64_t> cut) {
  const std::uint64_t size = family.size();
  OneLook look;
  const double below = Select(family, (size + 1) / 2);
  const double above = size % 2 == 1 ? below : Select(family, size / 2 + 1);
  look.estimate = below / 2 + above / 2;
  if (cut) look.interval = Interval{Select(family, *cut), Select(family, size + 1 - *cut)};
  return look;
}

// How many lie on the emptier side of the hypothesis, its widened surroundings taken in.
template <typename Family>
std::uint64_t Beyond(const Family& family, double hypothesis, double widening) {
  const std::uint64_t up_to = family.CountUpTo(hypothesis + widening);
  const std::uint64_t below = family.CountUpTo(std::nextafter(hypothesis - widening, -kNoBound));
  return std::min(up_to, family.size() - below);
}

}  // namespace

Result<OneLook> HodgesLehmann(std::span<const double> sorted, double alpha) {
  if (Result<void> checked = CheckSorted(sorted); !checked) return checked.error();
  if (Result<void> checked = CheckLevel(alpha); !checked) return checked.error();
  return LookAt(WalshAverages(sorted), SignedRankCut(sorted.size(), alpha));
}

Result<double> HodgesLehmannP(std::span<const double> sorted, double hypothesis, double widening) {
  if (Result<void> checked = CheckSorted(sorted); !checked) return checked.error();
  const std::uint64_t beyond = Beyond(WalshAverages(sorted), hypothesis, widening);
  return std::min(1.0, 2 * SignedRankLowerTail(sorted.size(), beyond));
}

Result<OneLook> HodgesLehmannShift(std::span<const double> reference,
                                   std::span<const double> candidate, double alpha) {
  if (Result<void> checked = CheckSorted(reference); !checked) return checked.error();
  if (Result<void> checked = CheckSorted(candidate); !checked) return checked.error();
  if (Result<void> checked = CheckLevel(alpha); !checked) return checked.error();
  return LookAt(Differences(reference, candidate),
                RankSumCut(reference.size(), candidate.size(), alpha));
}

Result<double> HodgesLehmannShiftP(std::span<const double> reference,
                                   std::span<const double> candidate, double hypothesis,
                                   double widening) {
  if (Result<void> checked = CheckSorted(reference); !checked) return checked.error();
  if (Result<void> checked = CheckSorted(candidate); !checked) return checked.error();
  const std::uint64_t beyond = Beyond(Differences(reference, candidate), hypothesis, widening);
  return std::min(1.0, 2 * RankSumLowerTail(reference.size(), candidate.size(), beyond));
}

}  // namespace benchd
