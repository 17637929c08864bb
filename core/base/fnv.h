#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace benchd {

/// Returns the 64-bit FNV-1a hash of `text` as 16 hexadecimal digits.
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, The FNV Non-Cryptographic Hash Algorithm.
inline std::string Fnv1aHex(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4U) {
    *digit = "0123456789abcdef"[hash & 15U];
  }
  return digits;
}

}  // namespace benchd
