#pragma once

#include <cstdint>

namespace benchd {

/// A reproducible stream of random numbers, the same on every machine and library version.
///
/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Seeded from a session's seed and a position, so
/// that any block can be planned without replaying those before it.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream);

  std::uint64_t Next();

  /// Uniform in [0, bound), exactly (Lemire, ACM TOMACS 29 (2019), with rejection); bound > 0.
  std::uint64_t Below(std::uint64_t bound);

 private:
  std::uint64_t state_;
};

}  // namespace benchd
