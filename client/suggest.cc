#include "client/suggest.h"

#include <algorithm>
#include <vector>

namespace benchd::client {
namespace {

// Optimal string alignment distance: Levenshtein's, with a swap of neighbours as one step.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string Nearest(std::string_view typed, std::span<const std::string_view> names) {
  constexpr std::size_t kLongestWord = 40;
  if (typed.empty() || typed.size() > kLongestWord) return "";
  constexpr std::size_t kShortestStart = 3;
  for (const std::string_view name : names) {
    if (typed.size() >= kShortestStart && name.starts_with(typed)) return std::string(name);
  }
  std::string_view best;
  std::size_t best_distance = std::min<std::size_t>(2, (typed.size() - 1) / 2) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = Distance(typed, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace benchd::client
