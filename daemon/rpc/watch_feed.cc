#include "daemon/rpc/watch_feed.h"

namespace benchd::rpc {
namespace {

WatchFeed::Kind FinalKind(SessionState state) {
  if (state == SessionState::kFailed) return WatchFeed::Kind::kFailed;
  if (state == SessionState::kCancelled) return WatchFeed::Kind::kCancelled;
  return WatchFeed::Kind::kVerdict;
}

}  // namespace

void WatchFeed::Offer(Snapshot newest) { newest_ = std::move(newest); }

std::optional<WatchFeed::Event> WatchFeed::Next(SteadyTime now, Occasion occasion) {
  if (newest_ == nullptr || final_sent_) return std::nullopt;
  if (newest_->machine && !started_sent_) {
    started_sent_ = anything_sent_ = true;
    return Event{Kind::kStarted, newest_};
  }
  if (IsFinal(newest_->state)) {
    final_sent_ = true;
    return Event{FinalKind(newest_->state), newest_};
  }
  if (QueuedIsDue()) {
    queued_sent_ = newest_;
    anything_sent_ = true;
    return Event{Kind::kQueued, newest_};
  }
  if (UpdateIsDue(now, occasion)) {
    update_sent_ = newest_;
    update_sent_at_ = now;
    return Event{Kind::kUpdate, newest_};
  }
  return std::nullopt;
}

// A watcher that comes while the session prepares hears "queued" at position 0: the first snapshot
// has to say something.
bool WatchFeed::QueuedIsDue() const {
  if (newest_->state != SessionState::kQueued) return !anything_sent_;
  return queued_sent_ == nullptr || queued_sent_->position != newest_->position ||
         queued_sent_->eta != newest_->eta;
}

bool WatchFeed::UpdateIsDue(SteadyTime now, Occasion occasion) const {
  // Before the first report there is nothing to tell but that the session pauses and goes on.
  const auto pauses = [](const Snapshot& s) { return s && s->state == SessionState::kPaused; };
  if (!newest_->report && !pauses(newest_) && !pauses(update_sent_)) return false;
  if (update_sent_ == newest_) return false;
  if (update_sent_ == nullptr || update_sent_->state != newest_->state) return true;
  return occasion == Occasion::kPublication && now - update_sent_at_ >= kMinInterval;
}

}  // namespace benchd::rpc
