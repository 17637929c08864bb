#include "daemon/queue/history_text.h"

namespace benchd {
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
