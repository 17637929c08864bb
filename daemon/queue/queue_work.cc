// The part of the queue that loads the sessions at the start of benchd and runs them one after the
// other. The requests of clients are in queue.cc.

#include <asio/error_code.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "daemon/queue/queue.h"

namespace benchd {
asio::awaitable<Result<std::vector<std::string>>> Queue::Load() {
  const Timestamp now = services_.clock.Now();
  Result<Records::AtStart> start =
      co_await services_.store.Do(&Records::LoadAtStart, now - FairQueue::kLimitedPeriod,
                                  std::uint64_t{FairQueue::kRememberedDurations});
  if (!start) co_return std::move(start).error().Within("loading the sessions");
  mode_ = start->mode;
  for (const std::uint32_t uid : start->turns) waiting_.Serve(uid);
  for (const auto& [uid, end, held] : start->times) waiting_.Ended(uid, end, held);
  for (const auto& [uid, at] : start->submissions) waiting_.Submitted(uid, at);
  waiting_.Refresh(now);
  for (auto& [key, record] : start->unfinished) {
    SessionSnapshot& snapshot = record.snapshot;
    const SessionId id = snapshot.id;
    if (snapshot.state != SessionState::kQueued) {
      std::optional<Error> unnoted = co_await NoteInterruption(snapshot);
      if (unnoted) start->warnings.push_back("session " + id.value + ": " + unnoted->message);
      snapshot.state = SessionState::kQueued;  // started_at marks it as resumed
    }
    snapshot.position = 0;
    snapshot.eta.reset();
    registry_.Add(key, std::move(record));
    Enqueue(id);
  }
  changed_.Notify();
  co_return std::move(start->warnings);
}

/// Adds the interruption to the session's history. The stored state does not change, so that the
/// session counts as interrupted until it runs again.
asio::awaitable<std::optional<Error>> Queue::NoteInterruption(SessionSnapshot snapshot) {
  CO_TRY(std::vector<HistoryEntry> history,
         co_await services_.store.Do(&Records::History, snapshot.id));
  if (!history.empty() && history.back().what == kInterruptedByStop) co_return std::nullopt;
  HistoryEntry entry{services_.clock.Now(), kInterruptedByEnd};
  CO_TRY_VOID(co_await services_.store.Do(&Records::Update, std::move(snapshot), std::move(entry)));
  co_return std::nullopt;
}

asio::awaitable<void> Queue::Work() {
  while (!stopping_) {
    if (std::exchange(prune_due_, false)) {
      co_await Prune();
      continue;
    }
    if (waiting_.Refresh(services_.clock.Now())) PublishPlaces();
    const QueuedSession* next = mode_.paused ? nullptr : waiting_.Next();
    if (exclusive_.BeginNext(next != nullptr)) continue;
    if (exclusive_.busy() || next == nullptr) {
      SetAlarm();
      co_await changed_.Wait();
      continue;
    }
    co_await RunOne(next->id);
    exclusive_.SessionEnded();
  }
}

void Queue::Stop() {
  stopping_ = true;
  current_.Stop();
  alarm_.cancel();
  changed_.Notify();
  admitted_.Notify();
}

asio::awaitable<void> Queue::RunOne(SessionId id) {
  running_ = id;
  waiting_.Begin(id);
  PublishPlaces();
  SessionSnapshot known = registry_.Find(id)->snapshot;
  SessionSnapshot last = co_await current_.Run(std::move(known));
  if (IsFinal(last.state)) {
    TakeEnd(std::move(last));
    // Do this after the verdict is published, but before anything else is measured.
    co_await services_.store.DoForSession(&Records::CheckpointIfDue);
  } else {
    registry_.Set(std::move(last));
  }
  running_.reset();
  changed_.Notify();
}

void Queue::Progress(const SessionSnapshot& snapshot) {
  const bool new_state = registry_.Find(snapshot.id)->snapshot.state != snapshot.state;
  registry_.Set(snapshot);
  services_.hub.Publish(snapshot);
  if (new_state) changed_.Notify();
}

/// Publishes the committed end of a session.
void Queue::TakeEnd(SessionSnapshot snapshot) {
  const SessionRecord* const known = registry_.Find(snapshot.id);
  if (known != nullptr && snapshot.ended_at && snapshot.held) {
    waiting_.Ended(known->spec.caller.uid, *snapshot.ended_at, *snapshot.held);
  }
  registry_.Set(snapshot);
  waiting_.Refresh(services_.clock.Now());
  services_.hub.Publish(std::move(snapshot));
  PublishPlaces();
  prune_due_ = true;
  changed_.Notify();
}

/// Deletes old sessions. Called only by the worker between sessions, never while one runs.
asio::awaitable<void> Queue::Prune() {
  while (policy_.keep != RetentionPolicy{} && !stopping_) {
    Result<std::vector<SessionId>> gone =
        co_await services_.store.Do(&Records::Prune, policy_.keep, services_.clock.Now());
    // After an error, the next session's end triggers another attempt.
    if (!gone || gone->empty()) co_return;
  }
}

/// Sets the alarm that wakes the worker when the next hold ends, because sessions of that user may
/// then begin.
void Queue::SetAlarm() {
  const std::optional<Timestamp> when = waiting_.NextRefresh();
  if (!when || stopping_) {
    alarm_.cancel();
    return;
  }
  alarm_.expires_after(*when - services_.clock.Now());
  alarm_.async_wait([this](const asio::error_code& cancelled) {
    if (!cancelled) changed_.Notify();
  });
}

}  // namespace benchd
