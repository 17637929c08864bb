#include "daemon/launch/output_digester.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace benchd {

void OutputDigester::Add(const char* bytes, std::size_t count) {
  sha256_update(&context_, count, reinterpret_cast<const std::uint8_t*>(bytes));
  digest_.bytes += count;
  digest_.head.append(bytes, std::min(count, kOutputHeadBytes - digest_.head.size()));
}

OutputDigest OutputDigester::Take() {
  // This also prepares the context for another stream.
  sha256_digest(&context_, digest_.sha256.size(), digest_.sha256.data());
  return std::exchange(digest_, {});
}

}  // namespace benchd
