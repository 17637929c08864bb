#pragma once

#include <cstdint>

#include "core/base/split_mix.h"

namespace benchd {

/// Reproducible random indices for resampling: two out of each number of SplitMix64, for speed.
/// A small value type.
class RandomIndex {
 public:
  /// Streams of one seed are independent for all practical purposes: one per run or replicate set.
  explicit RandomIndex(std::uint64_t seed, std::uint64_t stream = 0) : numbers_(seed, stream) {}

  /// Uniform in [0, bound), exactly; bound in 1 .. 2^32 - 1.
  /// Source: D. Lemire, ACM TOMACS 29 (2019) 3.
  std::uint32_t Below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{Next32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = std::uint64_t{Next32()} * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

 private:
  std::uint32_t Next32() {
    have_half_ = !have_half_;
    if (!have_half_) return static_cast<std::uint32_t>(whole_);
    whole_ = numbers_.Next();
    return static_cast<std::uint32_t>(whole_ >> 32U);
  }

  SplitMix64 numbers_;
  std::uint64_t whole_ = 0;
  bool have_half_ = false;
};

}  // namespace benchd
