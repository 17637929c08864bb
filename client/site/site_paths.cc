#include "client/site/site_paths.h"

#include <algorithm>

#include "client/app/sha256.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr std::size_t kMostBytes = 110;
constexpr std::size_t kMostReadable = 80;
constexpr std::size_t kSeriesDigits = 16;  // GateSummary::series
constexpr std::size_t kHashDigits = 24;

bool IsAllowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool AreDigits(std::string_view text, std::size_t digits) {
  return text.size() == digits && IsHex(text);
}

bool EndsInDigits(std::string_view stem, std::size_t digits) {
  return stem.size() > digits && stem[stem.size() - digits - 1] == '-' &&
         AreDigits(stem.substr(stem.size() - digits), digits);
}

/// Returns a readable form of the name. Other characters become single hyphens.
std::string Cleaned(std::string_view name) {
  std::string clean;
  for (const char c : name.substr(0, 4 * kMostReadable)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const char kept = IsAllowed(lower) ? lower : '-';
    const bool separates = kept == '-' || kept == '.';
    if (separates && (clean.empty() || clean.back() == '-' || clean.back() == '.')) continue;
    clean += kept;
  }
  clean.resize(std::min(clean.size(), kMostReadable));
  while (!clean.empty() && (clean.back() == '-' || clean.back() == '.')) clean.pop_back();
  return clean.empty() ? "benchmark" : clean;
}

std::string Hash(std::string_view benchmark, std::string_view series) {
  std::string text(benchmark);
  text += '\0';
  text += series;
  return Sha256Hex(text).substr(0, kHashDigits);
}

bool IsFileStem(std::string_view text) {
  return !text.empty() && text.size() <= kMostBytes && text.front() != '.' && text.front() != '-' &&
         std::ranges::all_of(text, IsAllowed);
}

struct Place {
  std::string_view folder;
  std::string_view extension;

  std::string Of(const std::string& stem) const {
    return std::string(folder).append(stem).append(extension);
  }
  bool Holds(std::string_view path) const {
    if (path.size() <= folder.size() + extension.size()) return false;
    return path.starts_with(folder) && path.ends_with(extension) &&
           IsFileStem(path.substr(folder.size(), path.size() - folder.size() - extension.size()));
  }
};

constexpr Place kPages{"benchmark/", ".html"};
constexpr Place kBadges{"badge/", ".svg"};

}  // namespace

std::string FileStem(std::string_view benchmark, std::string_view series) {
  const std::string clean = Cleaned(benchmark);
  const bool plain = clean == benchmark && !EndsInDigits(clean, kSeriesDigits) &&
                     !EndsInDigits(clean, kHashDigits);
  if (plain && series.empty()) return clean;
  if (plain && AreDigits(series, kSeriesDigits)) return clean + "-" + std::string(series);
  return clean + "-" + Hash(benchmark, series);
}

std::string PagePath(const std::string& stem) { return kPages.Of(stem); }

std::string BadgePath(const std::string& stem) { return kBadges.Of(stem); }

bool IsSitePath(std::string_view path) {
  return path == kIndexPath || path == kFeedPath || kPages.Holds(path) || kBadges.Holds(path);
}

}  // namespace benchd::client
