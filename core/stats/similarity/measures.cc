#include "core/stats/similarity/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/stats/descriptive.h"
#include "core/stats/nonparametric.h"
#include "core/stats/similarity/words.h"

namespace benchd {
namespace {

constexpr double kClippedShare = 0.01;

std::string NameOfRun(std::size_t index) { return fmt::format("run {}", index + 1); }

}  // namespace

Result<void> CheckRuns(RunSeries runs) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].empty()) return InvalidArgument(NameOfRun(r), "empty");
  }
  if (runs.size() < 2) {
    return InvalidArgument("runs",
                           "only " + Counted(runs.size(), "run") + "; at least 2 are needed",
                           "give at least two runs to compare");
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto wrong = std::find_if_not(runs[r].begin(), runs[r].end(),
                                        [](double value) { return std::isfinite(value); });
    if (wrong != runs[r].end()) {
      const auto at = static_cast<std::size_t>(wrong - runs[r].begin());
      return InvalidArgument(fmt::format("{}, value {}", NameOfRun(r), at + 1), "not finite",
                             "leave the run out, or measure it again");
    }
    if (runs[r].size() != runs[0].size()) {
      return InvalidArgument(NameOfRun(r),
                             fmt::format("has {} values, but run 1 has {}: unequal lengths",
                                         runs[r].size(), runs[0].size()),
                             "shorten all runs to the length of the shortest");
    }
  }
  return {};
}

std::vector<std::vector<double>> CutToShortest(RunSeries runs) {
  std::vector<std::vector<double>> cut(runs.begin(), runs.end());
  if (cut.empty()) return cut;
  std::size_t shortest = cut.front().size();
  for (const std::vector<double>& run : cut) shortest = std::min(shortest, run.size());
  for (std::vector<double>& run : cut) run.resize(shortest);
  return cut;
}

std::vector<std::vector<double>> ClipSpikes(RunSeries runs) {
  std::vector<std::vector<double>> clipped(runs.begin(), runs.end());
  for (std::vector<double>& run : clipped) {
    std::vector<double> sorted = run;
    std::sort(sorted.begin(), sorted.end());
    const double low = QuantileType7(sorted, kClippedShare).value_or(sorted.front());
    const double high = QuantileType7(sorted, 1 - kClippedShare).value_or(sorted.back());
    if (!(low <= high)) continue;  // the range of the run exceeds that of a double
    for (double& value : run) value = std::clamp(value, low, high);
  }
  return clipped;
}

namespace {

// Adds up the terms in four independent sums, because each addition to a single sum would have to
// wait for the previous one.
template <typename Term>
double Sum(std::size_t n, Term term) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += term(i + k);
  }
  for (; i < n; ++i) sums[0] += term(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double Dot(const std::vector<double>& x, const std::vector<double>& y) {
  return Sum(x.size(), [&x, &y](std::size_t i) { return x[i] * y[i]; });
}

double Mean(const std::vector<double>& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum / static_cast<long double>(values.size()));
}

double Cosine(const std::vector<double>& x, double norm_x, const std::vector<double>& y,
              double norm_y) {
  if (norm_x == 0 && norm_y == 0) return 1;
  if (norm_x == 0 || norm_y == 0) return 0;
  return Dot(x, y) / (norm_x * norm_y);
}

double EuclideanDistance(const std::vector<double>& x, double scale_x, const std::vector<double>& y,
                         double scale_y) {
  return std::sqrt(Sum(x.size(), [&](std::size_t i) {
    const double difference = scale_x * x[i] - scale_y * y[i];
    return difference * difference;
  }));
}

double WaveHedges(const std::vector<double>& x, double scale_x, const std::vector<double>& y,
                  double scale_y) {
  return Sum(x.size(), [&](std::size_t i) {
    const double a = scale_x * x[i];
    const double b = scale_y * y[i];
    const double larger = std::max(std::abs(a), std::abs(b));
    return larger > 0 ? std::abs(a - b) / larger : 0;
  });
}

}  // namespace

PreparedRun::PreparedRun(std::span<const double> series)
    : values(series.begin(), series.end()), scaled(values), sorted(values) {
  std::sort(sorted.begin(), sorted.end());
  std::frexp(std::max(std::abs(sorted.front()), std::abs(sorted.back())), &exponent);
  for (double& value : scaled) value = std::ldexp(value, -exponent);
  norm = std::sqrt(Dot(scaled, scaled));
  centred.assign(values.size(), 0);
  if (sorted.front() == sorted.back()) return;
  const double mean = Mean(scaled);
  for (std::size_t i = 0; i < centred.size(); ++i) centred[i] = scaled[i] - mean;
  centred_norm = std::sqrt(Dot(centred, centred));
}

RunPairSums SumsOf(const PreparedRun& x, const PreparedRun& y) {
  const int larger = std::max(x.exponent, y.exponent);
  const double scale_x = std::ldexp(1, x.exponent - larger);
  const double scale_y = std::ldexp(1, y.exponent - larger);
  RunPairSums sums;
  sums.cosine = Cosine(x.scaled, x.norm, y.scaled, y.norm);
  sums.correlation = Cosine(x.centred, x.centred_norm, y.centred, y.centred_norm);
  sums.distance = EuclideanDistance(x.scaled, scale_x, y.scaled, scale_y);
  sums.centred_distance = EuclideanDistance(x.centred, scale_x, y.centred, scale_y);
  sums.norm_x = scale_x * x.norm;
  sums.norm_y = scale_y * y.norm;
  sums.centred_norm_x = scale_x * x.centred_norm;
  sums.centred_norm_y = scale_y * y.centred_norm;
  sums.wave_hedges = WaveHedges(x.scaled, scale_x, y.scaled, scale_y);
  const double high =
      std::max(std::ldexp(x.sorted.back(), -larger), std::ldexp(y.sorted.back(), -larger));
  const double low =
      std::min(std::ldexp(x.sorted.front(), -larger), std::ldexp(y.sorted.front(), -larger));
  sums.range = high - low;
  return sums;
}

namespace {

double InUnit(double value) { return std::clamp(value, 0.0, 1.0); }

// Returns the distance of two vectors relative to the sum of their norms: 0 if they are equal, 1 if
// they are opposite or of very different size.
double RelativeDistance(double distance, double norm_x, double norm_y) {
  const double norms = norm_x + norm_y;
  return norms > 0 ? InUnit(distance / norms) : 0;
}

double Dissimilarity(double cosine) { return InUnit(1 - std::max(cosine, 0.0)); }

std::array<double, 4> SameOf(const RunPairSums& sums, std::size_t n) {
  const auto length = static_cast<double>(n);
  const double xy = sums.cosine * sums.norm_x * sums.norm_y;
  const double rest = sums.norm_x * sums.norm_x + sums.norm_y * sums.norm_y - xy;
  const double rms = sums.distance / std::sqrt(length);
  return {Dissimilarity(sums.cosine), InUnit(sums.wave_hedges / length),
          rest > 0 ? Dissimilarity(xy / rest) : 0, sums.range > 0 ? InUnit(rms / sums.range) : 0};
}

void FillNumeric(const PreparedRun& x, const PreparedRun& y, RunPair& pair) {
  const RunPairSums sums = SumsOf(x, y);
  Measures& literal = pair.literal;
  literal[0] = Dissimilarity(sums.correlation);
  literal[2] = RelativeDistance(sums.distance, sums.norm_x, sums.norm_y);
  literal[3] = Dissimilarity(sums.cosine);
  literal[4] = SortedDistance(x.sorted, y.sorted);
  pair.shape = literal;
  pair.shape[2] = RelativeDistance(sums.centred_distance, sums.centred_norm_x, sums.centred_norm_y);
  pair.same = SameOf(sums, x.scaled.size());
}

std::vector<double> PooledValues(const std::vector<PreparedRun>& runs) {
  std::vector<double> pooled;
  std::vector<double> merged;
  for (const PreparedRun& run : runs) {
    merged.resize(pooled.size() + run.sorted.size());
    std::ranges::merge(pooled, run.sorted, merged.begin());
    pooled.swap(merged);
  }
  return pooled;
}

}  // namespace

double RunPair::SameDistance() const { return (same[0] + same[1] + same[2] + same[3]) / 4; }

Result<RunComparison> RunComparison::Begin(RunSeries runs) {
  TRY_VOID(CheckRuns(runs));
  RunComparison comparison(runs);
  const std::vector<PreparedRun>& prepared = comparison.runs_;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    for (std::size_t j = i + 1; j < prepared.size(); ++j) {
      RunPair pair{.first = i, .second = j};
      FillNumeric(prepared[i], prepared[j], pair);
      comparison.pairs_.push_back(pair);
    }
  }
  return comparison;
}

std::vector<std::vector<std::uint8_t>> RunComparison::Words(SimilarityVariant variant) const {
  std::vector<std::vector<std::uint8_t>> words;
  if (variant == SimilarityVariant::kLiteral) {
    for (const PreparedRun& run : runs_) words.push_back(NormalisedWord(run.centred));
    return words;
  }
  const SaxBreaks breaks = QuantileBreaks(PooledValues(runs_));
  for (const PreparedRun& run : runs_) words.push_back(Word(run.values, breaks));
  return words;
}

void RunComparison::AddWords(SimilarityVariant variant) {
  std::vector<LzText> texts;
  texts.reserve(runs_.size());
  for (std::vector<std::uint8_t>& word : Words(variant)) texts.emplace_back(std::move(word));
  for (RunPair& pair : pairs_) {
    const LzText& x = texts[pair.first];
    const LzText& y = texts[pair.second];
    if (std::ranges::equal(x.symbols(), y.symbols())) continue;
    const auto both = static_cast<double>(std::min(x.PhrasesWith(y), y.PhrasesWith(x)));
    const auto apart = static_cast<double>(x.phrases() + y.phrases());
    Measures& measures = variant == SimilarityVariant::kLiteral ? pair.literal : pair.shape;
    measures[1] = InUnit(2 * both / apart - 1);
  }
}

Result<std::vector<RunPair>> ComparePairs(RunSeries runs) {
  TRY(RunComparison comparison, RunComparison::Begin(runs));
  for (const auto variant : {SimilarityVariant::kLiteral, SimilarityVariant::kShape}) {
    comparison.AddWords(variant);
  }
  return std::vector<RunPair>(comparison.pairs().begin(), comparison.pairs().end());
}

}  // namespace benchd
