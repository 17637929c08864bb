#include "daemon/queue/waiting_line.h"

#include <algorithm>
#include <cassert>

namespace benchd {

void WaitingLine::Insert(const WaitingSession* session, std::optional<Nanoseconds> typical) {
  const std::size_t index = CountBefore(session->sequence);
  places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(index), Place{session, {}});
  CountFrom(index, typical);
}

void WaitingLine::Erase(const WaitingSession* session, std::optional<Nanoseconds> typical) {
  const std::size_t index = CountBefore(session->sequence);
  assert(index < places_.size() && places_[index].session == session);
  if (index == 0) {
    gone_ = places_.front().through;
    places_.pop_front();
    return;
  }
  places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(index));
  CountFrom(index, typical);
}

std::size_t WaitingLine::CountBefore(std::uint64_t sequence) const {
  const auto found = std::lower_bound(
      places_.begin(), places_.end(), sequence,
      [](const Place& place, std::uint64_t wanted) { return place.session->sequence < wanted; });
  return static_cast<std::size_t>(found - places_.begin());
}

WaitingLine::Sum WaitingLine::Duration(std::size_t count) const {
  return count == 0 ? Sum::zero() : places_[count - 1].through - gone_;
}

void WaitingLine::CountFrom(std::size_t index, std::optional<Nanoseconds> typical) {
  Sum through = index == 0 ? gone_ : places_[index - 1].through;
  for (; index < places_.size(); ++index) {
    const Nanoseconds longest = places_[index].session->max_time;
    through += std::chrono::duration_cast<Sum>(typical ? std::min(*typical, longest) : longest);
    places_[index].through = through;
  }
}

}  // namespace benchd
