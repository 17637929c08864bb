#include "core/analysis/visible_change.h"

#include <algorithm>
#include <cmath>

#include "core/stats/tails.h"

namespace benchd {
namespace {

constexpr std::uint64_t kFewestPairs = 2;

// The critical t of the one look, or of a look under watching, by the method of the design.
double CriticalTOf(const EndLevel& level, bool once, std::uint64_t pairs) {
  if (once) return level.FixedT(pairs);
  return level.exact_t() ? level.exact_t()->CriticalT(pairs) : level.CriticalT(pairs);
}

std::uint64_t FirstLookOf(const SequentialDesign& design) {
  return design.OneLook() ? kFewestPairs : design.first_look;
}

double SharedTwoSided(const SequentialDesign& design, double stated) {
  return design.SmallerTwoSided() * stated / design.alpha;
}

}  // namespace

std::optional<PairSpread> SpreadOf(const Comparison& comparison, const SequentialDesign& design) {
  const auto whole = [](const std::optional<Effect>& effect) {
    return effect && effect->lo && effect->hi && *effect->lo > -1;
  };
  const std::uint64_t pairs = std::min(comparison.n_reference, comparison.n_candidate);
  const std::optional<Effect>& last =
      whole(comparison.last_change) ? comparison.last_change : comparison.change;
  const double level = 1 - comparison.confidence;
  if (!whole(last) || pairs < FirstLookOf(design) || !(level > 0)) return std::nullopt;
  const double allowance = comparison.change_allowance.value_or(0);
  const double half = (std::log1p(*last->hi) - std::log1p(*last->lo)) / 2 - allowance;
  const double critical = CriticalTOf(EndLevel(design, level), design.OneLook(), pairs);
  return PairSpread{std::max(0.0, half) * std::sqrt(static_cast<double>(pairs)) / critical,
                    allowance};
}

PlannedLooks::PlannedLooks(const SequentialDesign& design, double stated, double probability)
    : first_look_(FirstLookOf(design)),
      once_(design.OneLook()),
      reach_(NormalUpperQuantile(1 - probability)),
      level_(design, SharedTwoSided(design, stated)) {}

double PlannedLooks::CriticalT(std::uint64_t pairs) const {
  return CriticalTOf(level_, once_, pairs);
}

std::optional<double> PlannedLooks::VisibleAt(const PairSpread& spread, std::uint64_t pairs) const {
  if (pairs < first_look_) return std::nullopt;
  return (CriticalT(pairs) + reach_) * spread.sd / std::sqrt(static_cast<double>(pairs)) +
         spread.allowance;
}

std::optional<std::uint64_t> PlannedLooks::PairsFor(const PairSpread& spread,
                                                    double distance) const {
  if (!(distance > spread.allowance)) return std::nullopt;
  const auto enough = [&](std::uint64_t pairs) { return *VisibleAt(spread, pairs) <= distance; };
  if (enough(first_look_)) return first_look_;
  std::uint64_t low = first_look_;  // too few
  std::uint64_t high = 2 * first_look_;
  for (; !enough(high); high *= 2) {
    if (high > kMostBlocks) return std::nullopt;
    low = high;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high <= kMostBlocks ? std::optional(high) : std::nullopt;
}

}  // namespace benchd
