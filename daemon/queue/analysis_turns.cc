#include "daemon/queue/analysis_turns.h"

#include <algorithm>
#include <utility>

namespace benchd {

AnalysisTurns::Turn::Turn(Turn&& other) noexcept
    : turns_(std::exchange(other.turns_, nullptr)), key_(other.key_) {}

AnalysisTurns::Turn& AnalysisTurns::Turn::operator=(Turn&& other) noexcept {
  if (this != &other) {
    if (turns_ != nullptr) turns_->GiveUp(key_);
    turns_ = std::exchange(other.turns_, nullptr);
    key_ = other.key_;
  }
  return *this;
}

AnalysisTurns::Turn::~Turn() {
  if (turns_ != nullptr) turns_->GiveUp(key_);
}

AnalysisTurns::Turn AnalysisTurns::Ask(std::function<void()> begin) {
  const std::uint64_t key = next_key_++;
  waiting_.emplace(key, std::move(begin));
  changed_.Notify();
  return Turn(this, key);
}

bool AnalysisTurns::BeginNext(bool session_waits) {
  if (running_ || waiting_.empty() || (session_waits && before_session_ == 0)) return false;
  if (before_session_ > 0) --before_session_;
  auto next = waiting_.extract(waiting_.begin());
  running_ = next.key();
  next.mapped()();
  return true;
}

void AnalysisTurns::GiveUp(std::uint64_t key) {
  if (running_ == key) running_.reset();
  waiting_.erase(key);
  before_session_ = std::min(before_session_, waiting_.size());
  changed_.Notify();
}

}  // namespace benchd
