#include <gtest/gtest.h>

#include "daemon/queue/current_session.h"

namespace benchd {
namespace {

std::string Describe(SessionSnapshot snapshot) { return DescribeState(snapshot, "uid 1 (pid 2)"); }

TEST(HistoryTextTest, EachStateHasItsLine) {
  EXPECT_EQ(Describe({.state = SessionState::kPreparing}), "preparing");
  EXPECT_EQ(Describe({.state = SessionState::kRunning}), "running");
  EXPECT_EQ(Describe({.state = SessionState::kPaused}), "paused: the disk is full");
  EXPECT_EQ(Describe({.state = SessionState::kCancelled}), "cancelled by uid 1 (pid 2)");
}

TEST(HistoryTextTest, AnEndSaysHow) {
  SessionSnapshot done{.state = SessionState::kDone};
  for (const auto& [verdict, text] : {std::pair{Verdict::kPass, "done: pass"},
                                      {Verdict::kRegression, "done: regression"},
                                      {Verdict::kUndecided, "done: undecided"}}) {
    done.report.emplace().verdict = verdict;
    EXPECT_EQ(Describe(done), text);
  }
  SessionSnapshot failed{.state = SessionState::kFailed};
  failed.failure = Failure{Error{ErrorCode::kNotFound, "base: not found", "hint"}, std::nullopt};
  EXPECT_EQ(Describe(failed), "failed: base: not found");
}

TEST(HistoryTextTest, CallersAreNamedByUidAndPid) {
  Caller caller;
  caller.uid = 1000;
  caller.pid = 123;
  EXPECT_EQ(NameOf(caller), "uid 1000 (pid 123)");
}

}  // namespace
}  // namespace benchd
