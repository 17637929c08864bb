#pragma once

#include <cstddef>
#include <vector>

#include "core/stats/paired.h"

namespace benchd {

/// How a session would turn the values of a test into an estimate.
enum class Analysis { kRatio, kRate, kAbsolute, kAbsoluteRate };

/// The estimate from the first `n` pairs; worse is positive.
inline PairedEstimate EstimateFirst(const std::vector<double>& base,
                                    const std::vector<double>& candidate, std::size_t n,
                                    Analysis analysis, double resolution = 0) {
  PairedMoments raw;
  PairedMoments used;
  for (std::size_t i = 0; i < n; ++i) {
    raw.Add(base[i], candidate[i]);
    if (analysis == Analysis::kRate) {
      used.Add(1 / base[i], 1 / candidate[i]);
    } else {
      used.Add(base[i], candidate[i]);
    }
  }
  const CentredMoments moments = used.Centred();
  const bool ratio = analysis == Analysis::kRatio || analysis == Analysis::kRate;
  PairedEstimate estimate = ratio ? EstimateRatio(moments) : EstimateDifference(moments);
  if (NeedsAllowance(raw.Centred(), resolution)) {
    estimate.allowance =
        ratio ? RatioAllowance(raw.Centred(), resolution) : DifferenceAllowance(resolution);
  }
  return analysis == Analysis::kAbsoluteRate ? estimate.Mirrored() : estimate;
}

}  // namespace benchd
