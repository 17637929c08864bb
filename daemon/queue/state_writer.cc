#include "daemon/queue/state_writer.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <utility>

namespace benchd {

void StateWriter::Note(SessionSnapshot snapshot, HistoryEntry entry) {
  noted_.push_back({std::move(snapshot), std::move(entry)});
  asio::co_spawn(executor_, WriteSoon(), asio::detached);
}

asio::awaitable<Result<void>> StateWriter::Commit(SessionSnapshot snapshot, HistoryEntry entry) {
  while (writing_) co_await written_.Wait();
  Result<void> before = co_await WriteNoted();
  if (!before) co_return before;
  co_return co_await store_.Do(&Records::Update, std::move(snapshot), std::move(entry));
}

asio::awaitable<void> StateWriter::WriteSoon() {
  if (writing_) co_return;
  Result<void> written = co_await WriteNoted();
  static_cast<void>(written.has_value());  // what found no room is still noted
}

/// @errors kResourceExhausted: the disk is full.
asio::awaitable<Result<void>> StateWriter::WriteNoted() {
  writing_ = true;
  Result<void> result;
  while (!noted_.empty() && result) {
    State state = noted_.front();
    Result<void> updated =
        co_await store_.Do(&Records::Update, std::move(state.snapshot), std::move(state.entry));
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

namespace {

std::string NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kRegression:
      return "regression";
    case Verdict::kUndecided:
      break;
  }
  return "undecided";
}

}  // namespace

std::string NameOf(const Caller& caller) {
  return "uid " + std::to_string(caller.uid) + " (pid " + std::to_string(caller.pid) + ")";
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
      return "done: " + NameOf(snapshot.report ? snapshot.report->verdict : Verdict::kUndecided);
    case SessionState::kFailed:
      return "failed: " + (snapshot.failure ? snapshot.failure->error.message : "for no reason");
    case SessionState::kCancelled:
      break;
  }
  return "cancelled by " + canceller;
}

}  // namespace benchd
