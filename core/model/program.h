#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace benchd {

/// Which file a command is: taken at submit as the caller, checked before each run.
struct ProgramIdentity {
  std::string path;  ///< absolute, as the PATH look-up of the caller found it
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;  ///< since 1970, of the file itself
  std::array<std::uint8_t, 32> sha256{};
  bool operator==(const ProgramIdentity&) const = default;
};

}  // namespace benchd
