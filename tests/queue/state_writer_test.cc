#include "daemon/queue/state_writer.h"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>

#include "tests/support/fakes.h"
#include "tests/support/loop.h"

namespace benchd {
namespace {

class StateWriterTest : public testing::Test {
 protected:
  StateWriterTest() {
    SessionRecord record;
    record.snapshot.id = id_;
    EXPECT_TRUE(RunToEnd(loop_, store_.Insert(record, {{}, "submitted"})));
  }
  SessionSnapshot In(SessionState state) { return {.id = id_, .state = state}; }
  void Settle() {
    loop_.restart();
    loop_.run();
  }

  using Lines = std::vector<std::string>;
  const SessionId id_{"abc"};
  asio::io_context loop_;
  fake::Store store_;
  StateWriter writer_{loop_.get_executor(), store_};
};

TEST_F(StateWriterTest, AnEndIsWrittenAfterTheStatesBeforeIt) {
  writer_.Note(In(SessionState::kPreparing), {{}, "preparing"});
  writer_.Note(In(SessionState::kRunning), {{}, "running"});
  // Before the loop has written the first: the end overtakes none of them.
  EXPECT_TRUE(RunToEnd(loop_, writer_.Commit(In(SessionState::kDone), {{}, "done"})));
  Settle();
  EXPECT_EQ(store_.history(id_), (Lines{"submitted", "preparing", "running", "done"}));
  EXPECT_EQ(RunToEnd(loop_, store_.Load(id_))->snapshot.state, SessionState::kDone);
}

TEST_F(StateWriterTest, WhatFoundNoRoomIsWrittenWhenThereIsSome) {
  store_.fail_with = Error{ErrorCode::kResourceExhausted, "full", {}};
  writer_.Note(In(SessionState::kPaused), {{}, "paused"});
  Settle();
  const Result<void> end = RunToEnd(loop_, writer_.Commit(In(SessionState::kDone), {{}, "done"}));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::kResourceExhausted);
  store_.fail_with.reset();
  writer_.Note(In(SessionState::kRunning), {{}, "running"});
  Settle();
  EXPECT_EQ(store_.history(id_), (Lines{"submitted", "paused", "running"}));
}

TEST_F(StateWriterTest, AnyOtherErrorHoldsNothingUp) {
  store_.fail_with = Error{ErrorCode::kInternal, "broken", {}};
  writer_.Note(In(SessionState::kRunning), {{}, "running"});
  Settle();
  store_.fail_with.reset();
  EXPECT_TRUE(RunToEnd(loop_, writer_.Commit(In(SessionState::kDone), {{}, "done"})));
  EXPECT_EQ(store_.history(id_), (Lines{"submitted", "done"}));
}

}  // namespace
}  // namespace benchd
