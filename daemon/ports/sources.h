#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>

#include "core/base/time.h"

namespace benchd {

/// Time as the core sees it; faked in tests. Called on the loop's thread only.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
  virtual SteadyTime Steady() const = 0;
  /// Answers after that time; the coroutine's executor goes on meanwhile.
  virtual asio::awaitable<void> Wait(Nanoseconds duration) const = 0;
};

/// Where ids and unnamed seeds come from; faked in tests. Never used for the order of runs, which
/// follows from the session's recorded seed alone.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual std::uint64_t Next() = 0;
};

}  // namespace benchd
