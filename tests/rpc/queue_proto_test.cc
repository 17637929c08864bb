#include "daemon/rpc/queue_proto.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

TEST(QueueProtoTest, OfSomebodyElsesSessionOnlyIdUidAndStateAreSaid) {
  SessionView view;
  view.id = {"abc"};
  view.state = SessionState::kRunning;
  view.uid = 1001;
  v1::Session proto;
  ToProto(view, &proto);
  v1::Session expected;
  expected.set_session("abc");
  expected.set_uid(1001);
  expected.set_state(v1::SESSION_STATE_RUNNING);
  EXPECT_EQ(proto.SerializeAsString(), expected.SerializeAsString());
}

TEST(QueueProtoTest, ALongLogKeepsItsEnd) {
  EXPECT_EQ(LogToProto({"short"}), "short");
  EXPECT_WORDING("log: " + LogToProto({"end", 600'000'000}));
  const std::string log = LogToProto({std::string(kMaxLogBytes, 'a') + "end", 5});
  const std::size_t first_line = log.find('\n');
  ASSERT_NE(first_line, std::string::npos);
  EXPECT_WORDING("log: " + log.substr(0, first_line));
  EXPECT_EQ(log.substr(first_line, 3), "\naa");
  EXPECT_EQ(log.substr(log.size() - 4), "aend");
}

TEST(QueueProtoTest, TheMachineIsToldWhole) {
  MachineView machine;
  machine.session = SessionId{"abc"};
  machine.status = {.profile = "quiet",
                    .holder = "session",
                    .environment = {{{"kernel", "6.1"}}},
                    .settings = {{.setting = "smt", .held = true}},
                    .benchmark_cpus = {1, 2},
                    .housekeeping_cpus = {0},
                    .notes = {"irqbalance runs"}};
  v1::MachineStatus proto;
  ToProto(machine, &proto);
  EXPECT_EQ(proto.session(), "abc");
  EXPECT_EQ(proto.profile(), "quiet");
  EXPECT_EQ(proto.holder(), "session");
  EXPECT_EQ(proto.environment(0).name(), "kernel");
  EXPECT_EQ(proto.environment(0).value(), "6.1");
  EXPECT_EQ(proto.settings(0).setting(), "smt");
  EXPECT_TRUE(proto.settings(0).held());
  EXPECT_EQ(proto.benchmark_cpus_size(), 2);
  EXPECT_EQ(proto.housekeeping_cpus(0), 0);
  EXPECT_EQ(proto.notes(0), "irqbalance runs");
}

TEST(QueueProtoTest, TheQueueSaysWhatRuns) {
  QueueStatus status;
  status.mode.paused = true;
  status.queued = 3;
  v1::QueueStatus proto;
  ToProto(status, &proto);
  EXPECT_TRUE(proto.paused());
  EXPECT_EQ(proto.queued(), 3U);
  EXPECT_EQ(proto.running(), "");
  status.running = SessionId{"abc"};
  status.reserved_by = 1000;
  EXPECT_FALSE(proto.has_reserved_by());
  ToProto(status, &proto);
  EXPECT_EQ(proto.running(), "abc");
  EXPECT_EQ(proto.reserved_by(), 1000U);
}

TEST(QueueProtoTest, AReservationLastsAnHourAtMost) {
  v1::ReserveRequest proto;
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    proto.set_seconds(seconds);
    EXPECT_WORDING(FromProto(proto).error()) << seconds;
  }
  proto.set_seconds(3600.5);
  const Error refused = FromProto(proto).error();
  EXPECT_EQ(refused.code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(refused);
  proto.set_seconds(3600);
  EXPECT_EQ(*FromProto(proto), std::chrono::hours(1));
}

TEST(QueueProtoTest, AFilterIsTakenAsItIs) {
  v1::ListSessionsRequest proto;
  EXPECT_EQ(FromProto(proto)->state, std::nullopt);
  proto.set_all(true);
  proto.set_state(v1::SESSION_STATE_FAILED);
  const Result<SessionFilter> filter = FromProto(proto);
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->all);
  EXPECT_EQ(filter->state, SessionState::kFailed);
  proto.set_state(static_cast<v1::SessionState>(99));
  EXPECT_WORDING(FromProto(proto).error());
}

TEST(QueueProtoTest, APageIsBoundedAndItsTokenChecked) {
  v1::ListSessionsRequest proto;
  EXPECT_EQ(FromProto(proto)->limit, 100U);
  EXPECT_EQ(FromProto(proto)->before, UINT64_MAX);
  proto.set_page_size(4'000'000'000);
  EXPECT_EQ(FromProto(proto)->limit, 500U);
  proto.set_page_token("17");
  EXPECT_EQ(FromProto(proto)->before, 17U);
  for (const char* token : {"x", "17x", "-1", " 1", "99999999999999999999"}) {
    proto.set_page_token(token);
    EXPECT_WORDING(FromProto(proto).error()) << token;
  }
}

}  // namespace
}  // namespace benchd::rpc
