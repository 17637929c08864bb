#pragma once

#include <string>

#include "core/base/time.h"

namespace benchd {

/// One thing that happened to a session, as `show` tells it.
struct HistoryEntry {
  Timestamp at{};
  std::string what;  ///< "submitted by uid 1000 (pid 123)", "running", "interrupted: benchd ended"
  bool operator==(const HistoryEntry&) const = default;
};

}  // namespace benchd
