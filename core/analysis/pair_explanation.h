#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/function_counts.h"
#include "core/analysis/function_match.h"
#include "core/analysis/profile_plan.h"
#include "core/model/explanation.h"

namespace benchd {

/// A function is compared if it has at least this share of the samples of both arms together, and
/// at least kLeastSamples of them. Whether it is compared therefore does not depend on the
/// difference between the arms. Otherwise its seconds are part of the rest.
inline constexpr double kLeastShare = 0.001;
inline constexpr double kLeastSamples = 10;
/// The maximum number of functions that are compared: those with most samples.
inline constexpr std::size_t kMostCompared = 1000;
/// The runs of each unit of an arm: of a block, or of a build. Every run has samples.
using ProfileUnits = std::vector<std::vector<const RunProfile*>>;

struct ExplainOptions {
  /// Whether the units of the two arms are pairs, in the same order. Otherwise they are
  /// independent.
  bool paired = true;
  double alpha = 0.01;         ///< 1 - the joint coverage of all intervals
  std::size_t most_bytes = 0;  ///< the approximate size that the functions may have
};

/// Compares the functions of two arms. The names of the benchmark and the arms stay empty.
///
/// @param matcher  of the same table
Explanation ExplainPair(const FunctionTable& table, const FunctionMatcher& matcher,
                        const ProfileUnits& reference, const ProfileUnits& candidate,
                        const ExplainOptions& options);

}  // namespace benchd
