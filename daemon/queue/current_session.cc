#include "daemon/queue/current_session.h"

#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <optional>
#include <utility>

#include "daemon/session/block_log.h"

namespace benchd {
std::string NameOf(const Caller& caller) {
  return fmt::format("uid {} (pid {})", caller.uid, caller.pid);
}

std::string DescribeState(const SessionSnapshot& snapshot, const std::string& canceller) {
  if (snapshot.Settled() && !IsFinal(snapshot.state)) return "cleaning up";
  switch (snapshot.state) {
    case SessionState::kQueued:
      return "queued";
    case SessionState::kPreparing:
      return "preparing";
    case SessionState::kRunning:
      return "running";
    case SessionState::kPaused:
      return "paused: the disk is full";  // nothing else pauses a session
    case SessionState::kDone:
      return std::string("done: ").append(
          NameOf(snapshot.report ? snapshot.report->verdict : Verdict::kUndecided));
    case SessionState::kFailed:
      return "failed: " + (snapshot.failure ? snapshot.failure->error.message : "unknown cause");
    case SessionState::kCancelled:
      break;
  }
  return "cancelled by " + canceller;
}

void StateWriter::Note(SessionSnapshot snapshot, HistoryEntry entry) {
  noted_.push_back({std::move(snapshot), std::move(entry)});
  asio::co_spawn(executor_, WriteSoon(), asio::detached);
}

asio::awaitable<Result<void>> StateWriter::Commit(SessionSnapshot snapshot, HistoryEntry entry) {
  while (writing_) co_await written_.Wait();
  Result<void> before = co_await WriteNoted();
  if (!before) co_return before;
  co_return co_await store_.DoForSession(&Records::Update, std::move(snapshot), std::move(entry));
}

asio::awaitable<void> StateWriter::WriteSoon() {
  if (writing_) co_return;
  Result<void> written = co_await WriteNoted();
  static_cast<void>(written.has_value());  // states without room on the disk stay noted
}

/// Writes the noted states in order.
/// @errors kResourceExhausted: the disk is full.
asio::awaitable<Result<void>> StateWriter::WriteNoted() {
  writing_ = true;
  Result<void> result;
  while (!noted_.empty() && result) {
    State state = noted_.front();
    Result<void> updated = co_await store_.DoForSession(&Records::Update, std::move(state.snapshot),
                                                        std::move(state.entry));
    if (!updated && updated.error().code == ErrorCode::kResourceExhausted) {
      result = std::move(updated);
    } else {
      noted_.pop_front();
    }
  }
  writing_ = false;
  written_.Notify();
  co_return result;
}

CurrentSession::CurrentSession(asio::any_io_executor executor, Services services, Tell tell)
    : services_(services), tell_(std::move(tell)), states_(executor, services.store) {}

asio::awaitable<SessionSnapshot> CurrentSession::Run(SessionSnapshot known) {
  known_ = std::move(known);
  if (stopping_) co_return known_;
  cancel_ = CancelToken();
  canceller_.clear();
  // Load the whole record with the environment, which is not kept in memory.
  Result<SessionRecord> record = co_await services_.store.DoForSession(&Records::Load, known_.id);
  if (cancel_.interrupted()) co_return known_;
  SessionSnapshot end = known_;
  if (record) {
    record->snapshot = known_;
    end = co_await Execute(std::move(record).value());
  } else {
    end.state = SessionState::kFailed;
    end.ended_at = services_.clock.Now();
    end.failure = Failure{std::move(record).error().Within("reading the session"), std::nullopt};
  }
  co_return co_await CommitEnd(std::move(end));
}

asio::awaitable<SessionSnapshot> CurrentSession::Execute(SessionRecord record) {
  SessionServices services{services_.runner,
                           services_.store,
                           services_.clock,
                           services_.disturbances,
                           cancel_,
                           [this](const SessionSnapshot& snapshot) { Progress(snapshot); },
                           services_.max_pairs};
  co_return co_await RunSession(std::move(services), std::move(record));
}

void CurrentSession::Cancel(const Caller& by) {
  if (cancel_.cancelled()) return;
  canceller_ = NameOf(by);
  cancel_.Request(fmt::format("uid {}", by.uid));
}

void CurrentSession::Stop() {
  stopping_ = true;
  cancel_.Interrupt();
}

void CurrentSession::Progress(const SessionSnapshot& snapshot) {
  if (snapshot.state != known_.state || snapshot.Settled() != known_.Settled()) {
    states_.Note(snapshot, {services_.clock.Now(), DescribeState(snapshot, canceller_)});
  }
  known_ = snapshot;
  tell_(snapshot);
}

/// Commits the final state before any client sees it, however long that takes. An interrupted
/// session keeps its state. If a verdict cannot be stored for a reason other than a full disk, the
/// verdict itself may be the reason, so the session is stored as failed, if possible.
asio::awaitable<SessionSnapshot> CurrentSession::CommitEnd(SessionSnapshot end) {
  Result<void> kept = co_await Keep(end);
  if (kept || !IsFinal(end.state)) co_return end;
  if (!IsDiskFull(kept.error()) && end.state == SessionState::kDone) {
    end.state = SessionState::kFailed;
    end.failure = Failure{std::move(kept).error().Within("storing the verdict"), std::nullopt};
    kept = co_await Keep(end);
  }
  // A session that the store has lost needs no commit.
  const auto lost = [](const Error& error) { return error.code == ErrorCode::kNotFound; };
  if (kept || lost(kept.error())) co_return end;
  PauseFor(kept.error());
  const auto stop = [this, lost](const Error& error) { return stopping_ || lost(error); };
  const auto attempt = [this, end] { return Keep(end); };
  kept = co_await UntilThereIsRoom(&services_.clock, stop, attempt);
  co_return kept || lost(kept.error()) ? end : known_;
}

asio::awaitable<Result<void>> CurrentSession::Keep(SessionSnapshot end) {
  const std::string what =
      IsFinal(end.state) ? DescribeState(end, canceller_) : std::string(kInterruptedByStop);
  HistoryEntry entry{end.ended_at.value_or(services_.clock.Now()), what};
  co_return co_await states_.Commit(std::move(end), std::move(entry));
}

/// Shows the session as paused until its end can be stored.
void CurrentSession::PauseFor(const Error& error) {
  const bool full = IsDiskFull(error);
  SessionSnapshot paused = known_;
  paused.state = SessionState::kPaused;
  if (!paused.report) paused.report.emplace();
  std::string message = "paused until its end can be stored: " + error.message;
  if (!error.hint.empty()) message += "; " + error.hint;
  paused.report->warnings.push_back(full ? MakeWarning("disk_full", std::move(message))
                                         : MakeWarning("not_stored", std::move(message)));
  Progress(paused);
}

}  // namespace benchd
