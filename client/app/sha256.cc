#include "client/app/sha256.h"

#include <nettle/sha2.h>

#include <array>
#include <cstdint>

#include "core/base/text.h"

namespace benchd::client {

std::string Sha256Hex(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  return ToHex(digest);
}

}  // namespace benchd::client
