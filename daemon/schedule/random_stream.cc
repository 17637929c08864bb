#include "daemon/schedule/random_stream.h"

#include <cassert>

namespace benchd {
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
