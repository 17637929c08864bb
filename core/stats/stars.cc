#include "core/stats/stars.h"

#include <cmath>
#include <optional>

#include "core/stats/mmtests_figures.h"
#include "core/stats/samples.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

bool WelchStar(std::span<const double> values, std::span<const double> reference) {
  const Moments base = MomentsOf(reference);
  const Moments candidate = MomentsOf(values);
  if (!DifferenceDefined(base, candidate)) return false;
  return FixedPValue(EstimateWelchDifference(base, candidate), 0) < kStarLevel;
}

bool BandsApart(const MmtestsFigures& ours, const MmtestsFigures& theirs) {
  if (!ours.standard_deviation || !theirs.standard_deviation) return false;
  const std::optional<double> distance = BandDistance(ours, theirs);
  return !distance || std::abs(*distance) > 1;
}

}  // namespace

Result<bool> HasStar(std::span<const double> values, std::span<const double> reference,
                     BestEnd best, StarRule rule) {
  const Result<MmtestsFigures> ours = FiguresOf(values, best);
  if (!ours) return ours.error();
  const Result<MmtestsFigures> theirs = FiguresOf(reference, best);
  if (!theirs) return theirs.error();
  if (rule == StarRule::kWelch) return WelchStar(values, reference);
  return BandsApart(*ours, *theirs);
}

}  // namespace benchd
