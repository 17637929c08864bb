#include "core/stats/mmtests.h"

#include <cmath>

#include "core/base/try.h"
#include "core/stats/tails.h"
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
  TRY(const MmtestsFigures ours, FiguresOf(values, best));
  TRY(const MmtestsFigures theirs, FiguresOf(reference, best));
  if (rule == StarRule::kWelch) return WelchStar(values, reference);
  return BandsApart(ours, theirs);
}

namespace {

constexpr double kBestPercent = 95;
constexpr double kOneTail = 0.025;  // of a 95 % band

std::optional<double> IfFinite(const Result<double>& result) {
  return result ? benchd::IfFinite(*result) : std::nullopt;
}

}  // namespace

Result<MmtestsFigures> FiguresOf(std::span<const double> values, BestEnd best) {
  TRY(const Summary summary, Summarize(values));
  MmtestsFigures figures;
  figures.min = summary.min;
  figures.max = summary.max;
  if (best == BestEnd::kHighest) {
    figures.mean = summary.harmonic_mean;
    figures.standard_deviation = IfFinite(HarmonicStandardDeviation(values));
    figures.best_mean = IfFinite(BestMean(values, kBestPercent, best, MeanKind::kHarmonic));
  } else {
    figures.mean = IfFinite(summary.mean);
    figures.standard_deviation = summary.standard_deviation;
    figures.best_mean = IfFinite(BestMean(values, kBestPercent, best, MeanKind::kArithmetic));
  }
  if (figures.mean && *figures.mean != 0 && figures.standard_deviation) {
    figures.variation = IfFinite(*figures.standard_deviation / *figures.mean);
  }
  return figures;
}

std::optional<double> Gain(double value, double reference, BestEnd best) {
  if (value == reference) return 0;
  if (reference == 0) return std::nullopt;
  const double rise = (value - reference) / reference;
  return IfFinite(best == BestEnd::kHighest ? rise : -rise);
}

std::optional<double> BandDistance(const MmtestsFigures& value, const MmtestsFigures& reference) {
  if (!value.mean || !reference.mean) return std::nullopt;
  if (!value.standard_deviation || !reference.standard_deviation) return std::nullopt;
  const double difference = *value.mean - *reference.mean;
  if (difference == 0) return 0;
  const double deviations = *value.standard_deviation + *reference.standard_deviation;
  if (deviations == 0) return std::nullopt;
  return difference / (NormalUpperQuantile(kOneTail) * deviations);
}

}  // namespace benchd
