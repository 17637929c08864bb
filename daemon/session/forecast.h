#pragma once

#include <cstdint>

#include "daemon/base/time.h"
#include "daemon/model/session.h"

namespace benchd {

/// How far a session has come, for its forecast.
struct Progress {
  std::uint64_t blocks = 0;      ///< measured, of all benchmarks together
  std::uint64_t benchmarks = 1;  ///< that take turns
  Nanoseconds max_time{};
};

/// Adds the expected time to each open gate's verdict and to that of the session: expected blocks
/// by the mean time of a block so far, at most what is left of max_time. Nothing before the first
/// block.
void Forecast(const Progress& progress, Report& report);

}  // namespace benchd
