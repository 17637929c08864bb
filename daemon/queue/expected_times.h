#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "core/base/time.h"
#include "core/model/session.h"

namespace benchd {

/// How long sessions take here, from the last ones that have ended; pure.
class TypicalDuration {
 public:
  /// So many sessions tell of the next ones.
  static constexpr std::size_t kRemembered = 20;

  void Add(Nanoseconds duration);
  /// Their mean; nothing before the first one has ended.
  std::optional<Nanoseconds> Mean() const;

 private:
  std::deque<Nanoseconds> last_;
};

/// How long a session that has ended took, its max_time at most: what is beyond it, benchd was
/// away. Nothing when it never began.
std::optional<Nanoseconds> DurationOf(const SessionRecord& ended);

/// How long a session that runs will take at the most: what its report expects, else what is left
/// of its max_time.
Nanoseconds TimeLeft(const SessionRecord& running, Timestamp now);

}  // namespace benchd
