#include "daemon/queue/waiting_room.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Timestamp kNow{hours(24 * 100)};

SessionRecord WaitingRecord(const std::string& id, std::uint32_t uid) {
  SessionRecord record;
  record.snapshot.id = {id};
  record.spec.caller.uid = uid;
  record.spec.caller.gid = uid;
  return record;
}

SessionRecord Ran(const std::string& id, std::uint32_t uid, Timestamp start, Nanoseconds duration) {
  SessionRecord record = WaitingRecord(id, uid);
  record.snapshot.state = SessionState::kDone;
  record.snapshot.started_at = start;
  record.snapshot.ended_at = start + duration;
  record.spec.limits.max_time = hours(10);
  return record;
}

class WaitingRoomTest : public testing::Test {
 protected:
  std::string Next(const WaitingRoom& room) {
    return room.Next() == nullptr ? "" : room.Next()->id.value;
  }
  Expectation Expect(const WaitingRoom& room, const std::string& id, Timestamp now = kNow,
                     std::optional<Nanoseconds> until_free = Nanoseconds(0)) {
    const auto found = room.Expect({{id}}, now, until_free);
    return found.empty() ? Expectation{} : found.begin()->second;
  }
};

TEST_F(WaitingRoomTest, WhoRanLastBeforeARestartIsServedLast) {
  WaitingRoom room({}, {});
  room.Recall(
      {Ran("b", 1001, kNow - hours(2), hours(1)), Ran("a", 1000, kNow - hours(4), hours(1))}, kNow);
  room.Enter(WaitingRecord("b again", 1001), 0, kNow);
  room.Enter(WaitingRecord("a again", 1000), 1, kNow);
  EXPECT_EQ(Next(room), "a again");
}

TEST_F(WaitingRoomTest, ExpectsWhatSessionsTookAfterWhatRunsNow) {
  WaitingRoom room({}, {});
  room.Recall({Ran("a", 1000, kNow - hours(2), minutes(2)), Ran("b", 1000, kNow, minutes(4))},
              kNow);
  room.Enter(WaitingRecord("first", 1000), 0, kNow);
  room.Enter(WaitingRecord("second", 1000), 1, kNow);
  EXPECT_EQ(Expect(room, "first", kNow, seconds(5)).eta, seconds(5));
  EXPECT_EQ(Expect(room, "second", kNow, seconds(5)).eta, minutes(3) + seconds(5));
  EXPECT_EQ(Expect(room, "second", kNow, std::nullopt).eta, std::nullopt);
  EXPECT_EQ(Expect(room, "second", kNow, std::nullopt).position, 2U);
  room.End(Ran("c", 1000, kNow, minutes(6)), kNow + minutes(6));
  EXPECT_EQ(Expect(room, "second").eta, minutes(4));
}

TEST_F(WaitingRoomTest, WhoHadTheMachineLongEnoughWaitsUntilTheDayAllowsIt) {
  WaitingRoom room({}, {.queued = {}, .running_a_day = hours(2)});
  room.Recall(
      {Ran("a", 1000, kNow - hours(5), hours(3)), Ran("b", 1001, kNow - hours(1), hours(1))}, kNow);
  room.Enter(WaitingRecord("mine", 1000), 0, kNow);
  EXPECT_EQ(Next(room), "");
  // An hour of the three has to leave the day: 24 h after one hour of running.
  const Timestamp when = kNow - hours(4) + hours(24) + Nanoseconds(1);
  EXPECT_EQ(room.NextReview(), when);
  EXPECT_EQ(Expect(room, "mine").eta, when - kNow);
  room.Enter(WaitingRecord("other", 1001), 1, kNow);
  EXPECT_EQ(Next(room), "other") << "has had one hour of two";
  EXPECT_EQ(Expect(room, "mine").position, 2U);
  EXPECT_FALSE(room.Review(when - Nanoseconds(1)));
  EXPECT_TRUE(room.Review(when));
  EXPECT_EQ(room.NextReview(), std::nullopt);
  EXPECT_EQ(Expect(room, "mine").position, 1U) << "its user was served before the other";
}

TEST_F(WaitingRoomTest, AdminsAreNotLimited) {
  WaitingRoom room({.admin_gid = 50}, {.queued = 1, .running_a_day = hours(2)});
  room.Recall({Ran("a", 1000, kNow - hours(5), hours(3))}, kNow);
  SessionRecord admins = WaitingRecord("mine", 1000);
  admins.spec.caller.groups = {50};
  room.Enter(admins, 0, kNow);
  EXPECT_EQ(Next(room), "mine");
  EXPECT_TRUE(room.CheckRoomFor(admins.spec.caller, 0));
}

TEST_F(WaitingRoomTest, CountsWaitingSessionsAndThoseOnTheirWay) {
  WaitingRoom room({}, {.queued = 3});
  const SessionRecord first = WaitingRecord("first", 1000);
  room.Enter(first, 0, kNow);
  EXPECT_TRUE(room.CheckRoomFor(first.spec.caller, 1));
  const Result<void> refused = room.CheckRoomFor(first.spec.caller, 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.error().message, "queue: uid 1000 has 3 sessions waiting, as many as it may");
  EXPECT_FALSE(refused.error().hint.empty());
  EXPECT_TRUE(room.CheckRoomFor(WaitingRecord("other", 1001).spec.caller, 2));
}

}  // namespace
}  // namespace benchd
