#pragma once

#include "daemon/base/time.h"

namespace benchd {

/// Time as the core sees it; faked in tests. Called on the loop's thread only.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
  virtual SteadyTime Steady() const = 0;
};

}  // namespace benchd
