#include "core/base/session_id.h"

namespace benchd {

SessionId MakeSessionId(std::uint64_t random) {
  static constexpr char kAlphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
  static constexpr int kLength = 8;
  SessionId id;
  for (int i = 0; i < kLength; ++i) {
    id.value.push_back(kAlphabet[random & 31U]);
    random >>= 5U;
  }
  return id;
}

}  // namespace benchd
