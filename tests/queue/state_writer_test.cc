#include <gtest/gtest.h>

#include <asio/io_context.hpp>

#include "daemon/queue/current_session.h"
#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"

namespace benchd {
namespace {

class StateWriterTest : public testing::Test {
 protected:
  StateWriterTest() {
    SessionRecord record;
    record.snapshot.id = id_;
    store_.Keep(record);
  }
  SessionSnapshot In(SessionState state) { return {.id = id_, .state = state}; }
  void Settle() {
    loop_.restart();
    loop_.run();
  }

  using Lines = std::vector<std::string>;
  const SessionId id_{"abc"};
  asio::io_context loop_;
  TestStore store_;
  StateWriter writer_{loop_.get_executor(), store_};
};

TEST_F(StateWriterTest, AnEndIsWrittenAfterTheStatesBeforeIt) {
  writer_.Note(In(SessionState::kPreparing), {{}, "preparing"});
  writer_.Note(In(SessionState::kRunning), {{}, "running"});
  // Before the loop has written the first: the end does not overtake them.
  EXPECT_TRUE(RunToEnd(loop_, writer_.Commit(In(SessionState::kDone), {{}, "done"})));
  Settle();
  EXPECT_EQ(store_.history(id_), (Lines{"submitted", "preparing", "running", "done"}));
  EXPECT_EQ(store_.Ask(&Records::Load, id_)->snapshot.state, SessionState::kDone);
}

TEST_F(StateWriterTest, AStateThatFoundTheDiskFullIsWrittenWhenThereIsSpace) {
  store_.disk().SetFull(true);
  writer_.Note(In(SessionState::kPaused), {{}, "paused"});
  Settle();
  const Result<void> end = RunToEnd(loop_, writer_.Commit(In(SessionState::kDone), {{}, "done"}));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::kResourceExhausted);
  store_.disk().SetFull(false);
  writer_.Note(In(SessionState::kRunning), {{}, "running"});
  Settle();
  EXPECT_EQ(store_.history(id_), (Lines{"submitted", "paused", "running"}));
}

TEST_F(StateWriterTest, AnyOtherErrorDelaysNothing) {
  store_.disk().Fail(SQLITE_IOERR_WRITE);
  writer_.Note(In(SessionState::kRunning), {{}, "running"});
  Settle();
  store_.disk().Fail(SQLITE_OK);
  EXPECT_TRUE(RunToEnd(loop_, writer_.Commit(In(SessionState::kDone), {{}, "done"})));
  EXPECT_EQ(store_.history(id_), (Lines{"submitted", "done"}));
}

}  // namespace
}  // namespace benchd
