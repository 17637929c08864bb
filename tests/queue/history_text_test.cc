#include <gtest/gtest.h>

#include "daemon/queue/current_session.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

std::string Describe(SessionSnapshot snapshot) { return DescribeState(snapshot, "uid 1 (pid 2)"); }

TEST(HistoryTextTest, EachStateHasItsLine) {
  for (const SessionState state : {SessionState::kPreparing, SessionState::kRunning,
                                   SessionState::kPaused, SessionState::kCancelled}) {
    EXPECT_WORDING(Describe({.state = state}));
  }
}

TEST(HistoryTextTest, AnEndSaysHow) {
  SessionSnapshot done{.state = SessionState::kDone};
  for (const Verdict verdict : {Verdict::kPass, Verdict::kRegression, Verdict::kUndecided}) {
    done.report.emplace().verdict = verdict;
    EXPECT_WORDING(Describe(done));
  }
  SessionSnapshot failed{.state = SessionState::kFailed};
  failed.failure = Failure{Error{ErrorCode::kNotFound, "base: not found", "hint"}, std::nullopt};
  EXPECT_WORDING(Describe(failed));
}

TEST(HistoryTextTest, CallersAreNamedByUidAndPid) {
  Caller caller;
  caller.uid = 1000;
  caller.pid = 123;
  EXPECT_EQ(NameOf(caller), "uid 1000 (pid 123)");
}

}  // namespace
}  // namespace benchd
