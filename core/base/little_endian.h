#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace benchd {

/// Appends the lowest `width` bytes of `value`, at most 8, to `bytes`.
inline void PutLittleEndian(std::uint64_t value, std::size_t width, std::string& bytes) {
  for (std::size_t i = 0; i < width; ++i) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
  }
}

/// Returns the number whose bytes are `bytes`, at most 8 of them.
inline std::uint64_t GetLittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace benchd
