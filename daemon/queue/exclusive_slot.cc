#include "daemon/queue/exclusive_slot.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace benchd {

ExclusiveSlot::Turn ExclusiveSlot::Acquire(std::function<void()> begin) {
  const std::uint64_t key = next_key_++;
  waiting_.emplace(key, std::move(begin));
  changed_.Notify();
  return Turn(this, key);
}

bool ExclusiveSlot::BeginNext(bool session_waits) {
  if (running_ || waiting_.empty() || (session_waits && before_session_ == 0)) return false;
  if (before_session_ > 0) --before_session_;
  auto next = waiting_.extract(waiting_.begin());
  running_ = next.key();
  next.mapped()();
  return true;
}

void ExclusiveSlot::GiveUp(std::uint64_t key) {
  if (running_ == key) running_.reset();
  waiting_.erase(key);
  before_session_ = std::min(before_session_, waiting_.size());
  changed_.Notify();
}

}  // namespace benchd
