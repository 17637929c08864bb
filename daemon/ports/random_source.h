#pragma once

#include <cstdint>

namespace benchd {

/// Where ids and unnamed seeds come from; faked in tests. Never used for the order of runs, which
/// follows from the session's recorded seed alone.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual std::uint64_t Next() = 0;
};

}  // namespace benchd
