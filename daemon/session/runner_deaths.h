#pragma once

#include <cstdint>

namespace benchd {

/// How often benchd-runner died in a session without a block having been measured in between: a
/// benchmark that kills it would otherwise do so for ever. A value.
class RunnerDeaths {
 public:
  /// One more, with so many blocks measured. @return whether another try is worth it.
  bool MayTryAgain(std::uint64_t measured_blocks) {
    deaths_ = measured_blocks > blocks_ ? 1 : deaths_ + 1;
    blocks_ = measured_blocks;
    return deaths_ < kMost;
  }
  bool any() const { return deaths_ > 0; }
  /// The one before was in vain: to try again at once would be, too.
  bool repeated() const { return deaths_ > 1; }

 private:
  static constexpr int kMost = 3;

  int deaths_ = 0;
  std::uint64_t blocks_ = 0;
};

}  // namespace benchd
