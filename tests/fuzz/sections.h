#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchd::fuzz {

/// Several texts in one readable input: a line "=== NAME" begins each. Text before the first such
/// line has no name.
inline std::vector<std::pair<std::string_view, std::string_view>> SectionsOf(
    std::string_view text) {
  constexpr std::string_view kMark = "=== ";
  std::vector<std::pair<std::string_view, std::string_view>> sections{{"", text.substr(0, 0)}};
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t taken = std::min(text.size(), line.size() + 1);
    if (line.starts_with(kMark)) {
      sections.emplace_back(line.substr(kMark.size()), text.substr(taken, 0));
    } else {
      std::string_view& body = sections.back().second;
      body = {body.data(), body.size() + taken};
    }
    text.remove_prefix(taken);
  }
  return sections;
}

/// One word per line.
inline std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    words.emplace_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), words.back().size() + 1));
  }
  return words;
}

}  // namespace benchd::fuzz
