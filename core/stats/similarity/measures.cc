#include "core/stats/similarity/measures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/stats/kolmogorov_smirnov.h"
#include "core/stats/similarity/lz76.h"
#include "core/stats/similarity/sax.h"

namespace benchd {
namespace {

double InUnit(double value) { return std::clamp(value, 0.0, 1.0); }

// Of two vectors, their norms being at hand: 0 for the same, 1 for opposite or unrelated sizes.
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
  if (Result<void> comparable = CheckRuns(runs); !comparable) return comparable.error();
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
  Result<RunComparison> comparison = RunComparison::Begin(runs);
  if (!comparison) return std::move(comparison).error();
  for (const auto variant : {SimilarityVariant::kLiteral, SimilarityVariant::kShape}) {
    comparison->AddWords(variant);
  }
  return std::vector<RunPair>(comparison->pairs().begin(), comparison->pairs().end());
}

}  // namespace benchd
