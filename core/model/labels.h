#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace benchd {

/// The label of a session that compares the base of its commits with itself. Such a session leaves
/// no summaries (SummariesOf()), because its gates say nothing about a candidate.
inline constexpr char kCalibrationLabel[] = "benchd-calibration";

// Labels and request ids stay in memory as long as their session is kept, and there may be a
// hundred thousand sessions. Therefore their sizes are limited.

inline constexpr std::size_t kMaxRequestIdBytes = 64;  ///< a UUID has 36 bytes
inline constexpr std::size_t kMaxLabels = 64;
inline constexpr std::size_t kMaxLabelBytes = std::size_t{8} * 1024;  ///< keys and values together

/// Returns whether the labels are within the limits of a submission, in number and in bytes. Older
/// stores contain sessions that exceed these limits. Such sessions are kept, but cannot be found by
/// their labels.
inline bool AreFewLabels(const std::map<std::string, std::string>& labels) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : labels) bytes += key.size() + value.size();
  return labels.size() <= kMaxLabels && bytes <= kMaxLabelBytes;
}

}  // namespace benchd
