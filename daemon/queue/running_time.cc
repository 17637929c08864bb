#include "daemon/queue/running_time.h"

#include <algorithm>

namespace benchd {
namespace {

constexpr Nanoseconds kDay = std::chrono::hours(24);

}  // namespace

void RunningTime::Add(std::uint32_t uid, Timestamp start, Timestamp end) {
  if (start < end) users_[uid].push_back({start, end});
}

void RunningTime::Forget(Timestamp now) {
  for (auto& [uid, intervals] : users_) {
    while (!intervals.empty() && intervals.front().end <= now - kDay) intervals.pop_front();
  }
  std::erase_if(users_, [](const auto& user) { return user.second.empty(); });
}

std::vector<std::uint32_t> RunningTime::Users() const {
  std::vector<std::uint32_t> uids;
  for (const auto& [uid, intervals] : users_) uids.push_back(uid);
  return uids;
}

Nanoseconds RunningTime::Within(std::uint32_t uid, Timestamp now) const {
  Nanoseconds sum{};
  const auto found = users_.find(uid);
  if (found == users_.end()) return sum;
  for (const Interval& interval : found->second) {
    if (interval.end > now - kDay) sum += interval.end - std::max(interval.start, now - kDay);
  }
  return sum;
}

Timestamp RunningTime::BelowFrom(std::uint32_t uid, Timestamp now, Nanoseconds limit) const {
  Nanoseconds excess = Within(uid, now) - limit;
  if (excess < Nanoseconds::zero()) return now;
  const auto found = users_.find(uid);
  if (found == users_.end()) return now + kDay;  // a limit of nothing is never kept to
  for (const Interval& interval : found->second) {
    const Timestamp start = std::max(interval.start, now - kDay);
    if (interval.end <= start) continue;
    // The oldest moments leave the day first; the one after the excess is the first below.
    if (interval.end - start > excess) return start + excess + kDay + Nanoseconds(1);
    excess -= interval.end - start;
  }
  return now + kDay;
}

}  // namespace benchd
