#pragma once

#include <asio/awaitable.hpp>

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

}  // namespace benchd
