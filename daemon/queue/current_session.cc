#include "daemon/queue/current_session.h"

#include <optional>
#include <utility>

#include "daemon/queue/history_text.h"

namespace benchd {
namespace {

/// How long to wait for room on the disk before trying again.
constexpr Nanoseconds kStoreRetryPause = std::chrono::seconds(1);

bool DiskIsFull(const Result<void>& kept) {
  return !kept && kept.error().code == ErrorCode::kResourceExhausted;
}

}  // namespace

CurrentSession::CurrentSession(asio::any_io_executor executor, Services services, Tell tell)
    : services_(services), tell_(std::move(tell)), states_(executor, services.archive) {}

asio::awaitable<SessionSnapshot> CurrentSession::Run(SessionSnapshot known) {
  known_ = std::move(known);
  if (stopping_) co_return known_;
  cancel_ = CancelToken();
  canceller_.clear();
  // The whole record, with the environment, which is not kept in memory.
  Result<SessionRecord> record = co_await services_.archive.Load(known_.id);
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
  SessionServices services{services_.launcher,
                           services_.machine,
                           services_.store,
                           services_.clock,
                           services_.disturbances,
                           cancel_,
                           [this](const SessionSnapshot& snapshot) { Progress(snapshot); }};
  co_return co_await RunSession(std::move(services), std::move(record));
}

void CurrentSession::Cancel(const Caller& by) {
  if (cancel_.cancelled()) return;
  canceller_ = NameOf(by);
  cancel_.Request("uid " + std::to_string(by.uid));
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

/// The final state is committed before anybody sees it, however long the disk is full; one that was
/// interrupted stays as it is.
asio::awaitable<SessionSnapshot> CurrentSession::CommitEnd(SessionSnapshot end) {
  Result<void> kept = co_await Keep(end);
  if (!IsFinal(end.state)) co_return end;
  if (DiskIsFull(kept)) PauseFor(kept.error());
  while (DiskIsFull(kept)) {
    if (stopping_) co_return known_;
    co_await services_.clock.Wait(kStoreRetryPause);
    kept = co_await Keep(end);
  }
  if (!kept && end.state == SessionState::kDone) {
    end.state = SessionState::kFailed;
    end.failure = Failure{std::move(kept).error().Within("storing the verdict"), std::nullopt};
  }
  co_return end;
}

asio::awaitable<Result<void>> CurrentSession::Keep(SessionSnapshot end) {
  const std::string what =
      IsFinal(end.state) ? DescribeState(end, canceller_) : std::string(kInterruptedByStop);
  HistoryEntry entry{end.ended_at.value_or(services_.clock.Now()), what};
  co_return co_await states_.Commit(std::move(end), std::move(entry));
}

/// What everybody sees until the end can be stored, which they do not see before.
void CurrentSession::PauseFor(const Error& full) {
  SessionSnapshot paused = known_;
  paused.state = SessionState::kPaused;
  if (!paused.report) paused.report.emplace();
  paused.report->warnings.push_back(
      {.code = "disk_full",
       .message = "paused before its end could be stored: " + full.message + "; " + full.hint,
       .benchmark = {},
       .arm = {}});
  Progress(paused);
}

}  // namespace benchd
