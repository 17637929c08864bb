#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "core/base/time.h"

namespace benchd {

/// How long each user's sessions had the machine within the last 24 hours; pure.
///
/// From the start of a session to its end, of those that have ended.
class RunningTime {
 public:
  /// Sessions come in order of their ends, one at a time.
  void Add(std::uint32_t uid, Timestamp start, Timestamp end);
  /// Forgets what no longer counts.
  void Forget(Timestamp now);

  /// Those who had any, as far as it is remembered.
  std::vector<std::uint32_t> Users() const;
  Nanoseconds Within(std::uint32_t uid, Timestamp now) const;
  /// When it will be below `limit`, if that user runs nothing more; `now` when it is.
  Timestamp BelowFrom(std::uint32_t uid, Timestamp now, Nanoseconds limit) const;

 private:
  struct Interval {
    Timestamp start;
    Timestamp end;
  };
  std::map<std::uint32_t, std::deque<Interval>> users_;
};

}  // namespace benchd
