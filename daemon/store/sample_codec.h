#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd::store {

/// A Sample with its name replaced by a number: metrics.number of its session.
struct PackedSample {
  std::uint32_t metric = 0;
  std::uint32_t iteration = 0;
  double value = 0;
  bool operator==(const PackedSample&) const = default;
};

/// Appends the sample to `bytes`, the value of runs.samples: 16 bytes a sample, little-endian
/// (metric, iteration, then the bits of the IEEE double, so that -0.0 stays itself).
///
/// A run is one row with all its samples: a row for each costs five times as much, and that time
/// passes between two runs.
void PackSample(const PackedSample& sample, std::string& bytes);

/// @errors kInternal when the length is not that of whole samples.
Result<std::vector<PackedSample>> UnpackSamples(std::string_view bytes);

}  // namespace benchd::store
