// The part of the queue that runs sessions: the start of benchd, one session after the other, the
// end. What clients may ask is in queue.cc.

#include <algorithm>
#include <asio/error_code.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "daemon/queue/queue.h"

namespace benchd {
namespace {

/// Those that have it, by that moment.
std::vector<const SessionHead*> SortedBy(const std::vector<StoredSession>& sessions,
                                         std::optional<Timestamp> SessionHead::*moment) {
  std::vector<const SessionHead*> sorted;
  for (const StoredSession& session : sessions) {
    if (session.head.*moment) sorted.push_back(&session.head);
  }
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [moment](const SessionHead* a, const SessionHead* b) { return a->*moment < b->*moment; });
  return sorted;
}

}  // namespace

asio::awaitable<Result<std::vector<std::string>>> Queue::Load() {
  Result<Records::All> contents = co_await services_.store.Do(&Records::LoadAll);
  if (!contents) co_return std::move(contents).error().Within("loading the sessions");
  mode_ = contents->mode;
  Replay(contents->sessions);
  for (const auto& [uid, at] : contents->submissions) waiting_.Submitted(uid, at);
  for (StoredSession& session : contents->sessions) {
    if (!session.record) {
      registry_.Add(std::move(session.head));
      continue;
    }
    SessionSnapshot& snapshot = session.record->snapshot;
    const SessionId id = snapshot.id;
    if (!IsFinal(snapshot.state) && snapshot.state != SessionState::kQueued) {
      std::optional<Error> unnoted = co_await NoteInterruption(snapshot);
      if (unnoted) {
        contents->warnings.push_back("session " + id.value + ": " + unnoted->message);
      }
      snapshot.state = SessionState::kQueued;  // started_at says that it goes on
    }
    snapshot.position = 0;
    snapshot.eta.reset();
    const bool waits = snapshot.state == SessionState::kQueued;
    registry_.Add(std::move(*session.record));
    if (waits) Enqueue(id);
  }
  changed_.Notify();
  co_return std::move(contents->warnings);
}

/// Learns from what ran before benchd started.
void Queue::Replay(const std::vector<StoredSession>& sessions) {
  for (const SessionHead* begun : SortedBy(sessions, &SessionHead::started_at)) {
    waiting_.Serve(begun->uid);
  }
  for (const SessionHead* ended : SortedBy(sessions, &SessionHead::ended_at)) CountTime(*ended);
  waiting_.Refresh(services_.clock.Now());
}

/// Its state stays what it was, so that it is known as interrupted until it runs again.
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
    // After the verdict is told, before anything else is measured.
    co_await services_.store.DoForSession(&Records::Checkpoint);
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

/// Tells how a session has ended, which is committed.
void Queue::TakeEnd(SessionSnapshot snapshot) {
  const SessionId id = snapshot.id;
  registry_.Set(snapshot);
  CountTime(*registry_.FindHead(id));
  waiting_.Refresh(services_.clock.Now());
  services_.hub.Publish(std::move(snapshot));
  PublishPlaces();
  prune_due_ = true;
  changed_.Notify();
}

/// How long a session had the machine; one that never began had nothing of it. Of one that ran
/// under an older benchd only its moments are known: what is beyond its max_time, benchd was away.
void Queue::CountTime(const SessionHead& ended) {
  if (!ended.started_at || !ended.ended_at) return;
  const Nanoseconds most = std::min(ended.max_time, *ended.ended_at - *ended.started_at);
  waiting_.Ended(ended.uid, *ended.ended_at, ended.held.value_or(most));
}

/// Never while a session runs: the worker alone calls it, between sessions.
asio::awaitable<void> Queue::Prune() {
  while (policy_.keep != RetentionPolicy{} && !stopping_) {
    Result<std::vector<SessionId>> gone =
        co_await services_.store.Do(&Records::Prune, policy_.keep, services_.clock.Now());
    // What could not be deleted now is due again after the next session.
    if (!gone || gone->empty()) co_return;
    for (const SessionId& id : *gone) registry_.Remove(id);
  }
}

/// Wakes the worker when somebody may begin sessions again who has had enough for a day.
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
