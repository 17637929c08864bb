#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace benchd {

// What a session is called by and found by stays in memory as long as the session is kept, of which
// there may be a hundred thousand.

inline constexpr std::size_t kMaxRequestIdBytes = 64;  ///< a UUID has 36
inline constexpr std::size_t kMaxLabels = 64;
inline constexpr std::size_t kMaxLabelBytes = std::size_t{8} * 1024;  ///< keys and values together

/// Whether there are no more labels than may be submitted, in number and in bytes. Older stores
/// have sessions with more: these are kept, and not found by them.
inline bool AreFewLabels(const std::map<std::string, std::string>& labels) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : labels) bytes += key.size() + value.size();
  return labels.size() <= kMaxLabels && bytes <= kMaxLabelBytes;
}

}  // namespace benchd
