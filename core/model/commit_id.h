#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benchd {

/// Returns whether the text is a full ID of a commit (SHA-1 or SHA-256), not another name of it.
inline bool IsCommitId(std::string_view text) {
  const bool is_long_enough = text.size() == 40 || text.size() == 64;
  return is_long_enough && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Returns the beginning of an ID, by which people and folders name a commit.
inline std::string ShortId(std::string_view commit) {
  constexpr std::size_t kDigits = 12;
  return std::string(commit.substr(0, kDigits));
}

}  // namespace benchd
