#include "daemon/queue/expected_times.h"

#include <algorithm>

namespace benchd {

void TypicalDuration::Add(Nanoseconds duration) {
  last_.push_back(duration);
  if (last_.size() > kRemembered) last_.pop_front();
}

std::optional<Nanoseconds> TypicalDuration::Mean() const {
  if (last_.empty()) return std::nullopt;
  Nanoseconds sum{};  // 20 months at most: a duration is limited by its max_time
  for (const Nanoseconds duration : last_) sum += duration;
  return sum / static_cast<Nanoseconds::rep>(last_.size());
}

std::optional<Nanoseconds> DurationOf(const SessionRecord& ended) {
  const SessionSnapshot& snapshot = ended.snapshot;
  if (!snapshot.started_at || !snapshot.ended_at) return std::nullopt;
  return std::clamp(*snapshot.ended_at - *snapshot.started_at, Nanoseconds::zero(),
                    std::max(ended.spec.limits.max_time, Nanoseconds::zero()));
}

Nanoseconds TimeLeft(const SessionRecord& running, Timestamp now) {
  const SessionSnapshot& snapshot = running.snapshot;
  if (snapshot.report && snapshot.report->eta) return *snapshot.report->eta;
  const Nanoseconds gone = snapshot.report       ? snapshot.report->elapsed
                           : snapshot.started_at ? now - *snapshot.started_at
                                                 : Nanoseconds::zero();
  const Nanoseconds longest = std::max(running.spec.limits.max_time, Nanoseconds::zero());
  return std::clamp(longest - gone, Nanoseconds::zero(), longest);
}

}  // namespace benchd
