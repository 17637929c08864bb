#include "daemon/schedule/random_stream.h"

#include <cassert>

namespace benchd {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

}  // namespace

// Mixing twice keeps neighbouring seeds and neighbouring streams apart.
RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream)
    : state_(Mix(Mix(seed + kGolden) + (stream + 1) * kGolden)) {}

std::uint64_t RandomStream::Next() {
  state_ += kGolden;
  return Mix(state_);
}

std::uint64_t RandomStream::Below(std::uint64_t bound) {
  assert(bound > 0);
  __extension__ using Wide = unsigned __int128;
  // The lowest 2^64 mod bound products would make some results likelier than others.
  const std::uint64_t threshold = (0 - bound) % bound;
  while (true) {
    const Wide product = static_cast<Wide>(Next()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64U);
    }
  }
}

}  // namespace benchd
