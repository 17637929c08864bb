#include "core/analysis/setting_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/try.h"
#include "core/stats/descriptive.h"
#include "core/stats/paired.h"

namespace benchd {
namespace {

constexpr std::size_t kFewestValues = 10;
constexpr std::size_t kDiscardedPart = 10;  // one value in this many is discarded

using Measure = double StretchFigures::*;

SpreadRatio IntervalOf(const Moments& differences, double alpha) {
  const double t = FixedCriticalT(alpha, differences.count());
  const double half =
      t * differences.standard_deviation() / std::sqrt(static_cast<double>(differences.count()));
  const double mean = differences.mean();
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

/// Returns the differences between `setting` and `other` in the rounds that have both.
Moments Differences(std::span<const TrialRound> rounds, std::size_t setting, std::size_t other,
                    Measure measure) {
  Moments differences;
  for (const TrialRound& round : rounds) {
    if (!round[setting] || !round[other]) continue;
    differences.Add((*round[setting]).*measure - (*round[other]).*measure);
  }
  return differences;
}

SettingComparison Compare(std::span<const TrialRound> rounds, std::size_t setting,
                          std::size_t other, double alpha) {
  const Moments spread = Differences(rounds, setting, other, &StretchFigures::log_spread);
  SettingComparison comparison{.rounds = static_cast<std::size_t>(spread.count())};
  if (comparison.rounds < 2) return comparison;
  comparison.spread = IntervalOf(spread, alpha);
  comparison.tail =
      IntervalOf(Differences(rounds, setting, other, &StretchFigures::log_tail), alpha);
  if (comparison.spread->hi < 1) comparison.effect = SettingEffect::kQuieter;
  if (comparison.spread->lo > 1) comparison.effect = SettingEffect::kNoisier;
  return comparison;
}

std::size_t Best(std::span<const TrialRound> rounds, std::span<const SettingComparison> settings,
                 double alpha) {
  std::size_t quietest = 0;
  for (std::size_t i = 1; i < settings.size(); ++i) {
    if (settings[i].effect != SettingEffect::kQuieter) continue;
    const bool first = quietest == 0;
    if (first || settings[i].spread->estimate < settings[quietest].spread->estimate) quietest = i;
  }
  for (std::size_t i = 1; i < quietest; ++i) {
    if (settings[i].effect != SettingEffect::kQuieter) continue;
    if (Compare(rounds, i, quietest, alpha).effect != SettingEffect::kNoisier) return i;
  }
  return quietest;
}

}  // namespace

std::optional<Quartiles> QuartilesOf(std::span<const double> values) {
  const auto summary = Summarize(values);
  if (!summary) return std::nullopt;
  return Quartiles{summary->lower_quartile, summary->median, summary->upper_quartile};
}

Result<StretchFigures> SummarizeStretch(std::span<const double> values, double resolution) {
  if (values.size() < kFewestValues) {
    return InvalidArgument("segment", fmt::format("{} runs are too few", values.size()),
                           "at least 10 are needed");
  }
  TRY_VOID(CheckPositive(values));
  const auto counted = values.subspan(values.size() / kDiscardedPart);
  TRY(const auto sorted, SortedSample(counted));
  StretchFigures figures{.runs = counted.size()};
  figures.median = *QuantileType7(sorted, 0.5);
  figures.p95 = *QuantileType7(sorted, 0.95);
  Moments distances;
  for (const double value : counted) distances.Add(std::abs(value - figures.median));
  figures.spread = std::max(distances.mean(), resolution) / figures.median;
  figures.log_spread = std::log(figures.spread);
  figures.log_tail = std::log(figures.p95 / figures.median);
  return figures;
}

SettingTrial CompareSettings(std::span<const TrialRound> rounds, double alpha) {
  SettingTrial trial;
  if (rounds.empty()) return trial;
  trial.settings.resize(rounds.front().size());
  const double each =
      alpha / static_cast<double>(std::max<std::size_t>(trial.settings.size(), 2) - 1);
  for (std::size_t i = 1; i < trial.settings.size(); ++i) {
    trial.settings[i] = Compare(rounds, i, 0, each);
  }
  trial.best = Best(rounds, trial.settings, each);
  return trial;
}

}  // namespace benchd
