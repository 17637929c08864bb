#include "daemon/rpc/refusals.h"

#include <algorithm>

namespace benchd::rpc {

std::optional<Nanoseconds> Refusals::Count(std::uint32_t uid, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  User& user = users_.try_emplace(uid, User{.counted_at = now}).first->second;
  // Calls that arrived before the suspension are still being refused.
  if (now < user.suspended_until) return std::nullopt;
  const std::chrono::duration<double> passed = now - user.counted_at;
  user.refused = std::max(0.0, user.refused - forgiven_a_second_ * passed.count()) + 1;
  user.counted_at = now;
  if (user.refused < kTolerated) return std::nullopt;
  const bool forgotten = now - user.suspended_until > kForgotten;
  const Nanoseconds duration = forgotten ? Nanoseconds(kFirst) : user.next;
  user.next = std::min<Nanoseconds>(2 * duration, kLongest);
  user.suspended_until = now + duration;
  return duration;
}

}  // namespace benchd::rpc
