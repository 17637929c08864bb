#pragma once

#include <cstdint>
#include <optional>

namespace benchd {

/// What the schedule must know of a benchmark to give it its next turn, or another one: how far it
/// has come and how far it has to go. All of it follows from the runs so far, so that a session
/// that is resumed or replayed from its stored runs goes on as it would have.
struct BenchmarkOutlook {
  bool open = true;           ///< it has a gate without a verdict, and blocks left
  std::uint64_t blocks = 0;   ///< measured so far
  std::uint64_t minimum = 0;  ///< with fewer blocks no look decides anything
  double seconds = 0;         ///< that its blocks took together
  /// Further blocks until the last of its gates is expected to be decided; absent when unknown.
  std::optional<double> expected_blocks;

  /// Seconds of measuring until it is expected to be decided; absent when unknown. A pure function
  /// of the above: the mean time of its blocks so far for each expected one.
  std::optional<double> ExpectedSeconds() const {
    if (blocks == 0 || !expected_blocks) return std::nullopt;
    return *expected_blocks * (seconds / static_cast<double>(blocks));
  }
  bool operator==(const BenchmarkOutlook&) const = default;
};

}  // namespace benchd
