#pragma once

#include <cstdint>

#include "core/base/split_mix.h"

namespace benchd {

/// A reproducible stream of random numbers. Seeded from a session's seed and a position, so
/// that any block can be planned without replaying those before it.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : numbers_(seed, stream) {}

  std::uint64_t Next() { return numbers_.Next(); }

  /// Uniform in [0, bound), exactly (Lemire, ACM TOMACS 29 (2019), with rejection); bound > 0.
  std::uint64_t Below(std::uint64_t bound);

 private:
  SplitMix64 numbers_;
};

}  // namespace benchd
