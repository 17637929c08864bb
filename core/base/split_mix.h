#pragma once

#include <cstdint>

namespace benchd {

/// A generator of 64-bit pseudorandom numbers that are the same on every machine and with every
/// library version. Bounded uniform numbers are derived from them (session/schedule.h,
/// stats/resampling.h). It is inline because a bootstrap draws 10^8 numbers.
/// Source: G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014.
class SplitMix64 {
 public:
  /// The streams of one seed are independent for all practical purposes. Mixing twice decorrelates
  /// neighbouring seeds and neighbouring streams.
  SplitMix64(std::uint64_t seed, std::uint64_t stream)
      : state_(Mix(Mix(seed + kGolden) + (stream + 1) * kGolden)) {}

  std::uint64_t Next() {
    state_ += kGolden;
    return Mix(state_);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

  static std::uint64_t Mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace benchd
