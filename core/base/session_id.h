#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace benchd {

/// Names a session for its whole life and after it; what users type, or a unique prefix of it.
///
/// Eight characters of Crockford's base 32 in lower case (40 bits): no two look alike.
struct SessionId {
  std::string value;
  auto operator<=>(const SessionId&) const = default;
};

/// Spells the low 40 bits of `random` as an id.
SessionId MakeSessionId(std::uint64_t random);

}  // namespace benchd
