#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/stats/similarity/measures.h"

namespace benchd {

/// A mean strictly above it speaks for dissimilar runs.
inline constexpr double kSimilarityThreshold = 0.25;

/// So many of the five do.
inline constexpr int kDissimilarVotes = 3;

/// One measure over all pairs.
struct PairMeasure {
  double mean = 0;
  double max = 0;
  std::size_t first = 0;  ///< the pair with `max`, the first one on a tie
  std::size_t second = 0;
  bool operator==(const PairMeasure&) const = default;
};

/// Algorithm 1: each measure's mean over all pairs of runs has one vote.
struct MajorityVote {
  std::array<PairMeasure, 5> measures;  ///< M1 to M5
  int above = 0;                        ///< how many means are strictly above the threshold
  bool Dissimilar() const { return above >= kDissimilarVotes; }
  bool operator==(const MajorityVote&) const = default;
};

/// @param pairs  one at least.
/// Source: A. Bauer et al., ICPE '23 Companion, Algorithm 1.
MajorityVote Vote(std::span<const RunPair> pairs, SimilarityVariant variant,
                  double threshold = kSimilarityThreshold);

}  // namespace benchd
