#pragma once

#include <cstdint>

namespace benchd {

/// Reproducible random indices for resampling, the same on every machine: SplitMix64 (Steele, Lea,
/// Flood, OOPSLA 2014), two indices out of each number. Inline, because a bootstrap draws 10^8.
///
/// The daemon's own stream of that kind plans the order of runs and lies in schedule/, which stats
/// may not see. A small value type.
class RandomIndex {
 public:
  /// Streams of one seed are independent for all practical purposes: one per run or replicate set.
  explicit RandomIndex(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(Mix(Mix(seed + kGolden) + (stream + 1) * kGolden)) {}

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
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

  static std::uint64_t Mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  std::uint32_t Next32() {
    have_half_ = !have_half_;
    if (!have_half_) return static_cast<std::uint32_t>(whole_);
    state_ += kGolden;
    whole_ = Mix(state_);
    return static_cast<std::uint32_t>(whole_ >> 32U);
  }

  std::uint64_t state_;
  std::uint64_t whole_ = 0;
  bool have_half_ = false;
};

}  // namespace benchd
