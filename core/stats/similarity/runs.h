#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The runs of one benchmark: each a series of values in order of measuring, all of one length.
using RunSeries = std::span<const std::vector<double>>;

/// Below this many values a run, the measures say nothing: pure noise of 8 values a run is called
/// dissimilar every time (docs/similarity.md has the rates).
inline constexpr std::size_t kFewestAssessableValues = 50;

/// Whether runs can be compared at all.
///
/// @errors kInvalidArgument, runs and values counted from 1: fewer than two runs, a run without a
///         value, runs of unequal length, a value that is not finite.
Result<void> CheckRuns(RunSeries runs);

/// The runs, each cut to the length of the shortest: its first values.
std::vector<std::vector<double>> CutToShortest(RunSeries runs);

/// Each run clipped to its own 1 % and 99 % quantiles (type 7): what is left of it without spikes.
/// A run's own, because pooled quantiles would clip away a whole run that differs, where there are
/// many. Runs as CheckRuns() wants them.
std::vector<std::vector<double>> ClipSpikes(RunSeries runs);

}  // namespace benchd
