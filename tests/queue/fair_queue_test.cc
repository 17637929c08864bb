#include "daemon/queue/fair_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Timestamp kNow{hours(24 * 100)};

class FairQueueTest : public testing::Test {
 protected:
  explicit FairQueueTest(UserLimits limits = {}) : queue_(limits) {}

  void Insert(const std::string& id, std::uint32_t uid, std::int32_t priority = 0,
              Nanoseconds max_time = minutes(10)) {
    Insert({.id = {id}, .uid = uid, .priority = priority, .max_time = max_time});
  }
  void Insert(QueuedSession session) {
    session.sequence = next_++;
    ids_.push_back(session.id);
    queue_.Insert(std::move(session));
  }
  void Ran(std::uint32_t uid, Timestamp start, Nanoseconds duration) {
    queue_.Ended(uid, start + duration, duration);
  }
  std::string Next() {
    const QueuedSession* next = queue_.Next();
    return next == nullptr ? "" : next->id.value;
  }
  Nanoseconds WaitOf(const std::string& id) { return queue_.PlaceOf({id}).value().wait; }
  /// The order in which all sessions would begin, without starting any.
  std::vector<std::string> Order() {
    std::vector<std::string> order(queue_.size());
    for (const SessionId& id : ids_) {
      const std::optional<Place> place = queue_.PlaceOf(id);
      if (place) order.at(place->position - 1) = id.value;
    }
    return order;
  }

  using Ids = std::vector<std::string>;
  FairQueue queue_;
  std::vector<SessionId> ids_;
  std::uint64_t next_ = 1;
};

// ---- the order ----

TEST_F(FairQueueTest, UsersOfOnePriorityTakeTurns) {
  for (const char* id : {"a1", "a2", "a3"}) Insert(id, 1000);
  Insert("b1", 1001);
  Insert("c1", 1002);
  Insert("b2", 1001);
  EXPECT_EQ(Order(), (Ids{"a1", "b1", "c1", "a2", "b2", "a3"}));
}

TEST_F(FairQueueTest, WhoWasServedLeastRecentlyIsNext) {
  Insert("a1", 1000);
  Insert("a2", 1000);
  queue_.Begin({"a1"});
  Insert("b1", 1001);
  EXPECT_EQ(Next(), "b1") << "submitted after a2, but never served";
  queue_.Begin({"b1"});
  Insert("b2", 1001);
  EXPECT_EQ(Next(), "a2");
}

TEST_F(FairQueueTest, WhoRanLastBeforeARestartIsServedLast) {
  queue_.Serve(1000);
  queue_.Serve(1001);
  Insert("b", 1001);
  Insert("a", 1000);
  EXPECT_EQ(Next(), "a");
}

TEST_F(FairQueueTest, PriorityGoesBeforeFairnessAndATurnCountsAtEveryPriority) {
  Insert("a low", 1000, -1);
  Insert("b low", 1001, -1);
  Insert("a high", 1000, 5);
  EXPECT_EQ(Order(), (Ids{"a high", "b low", "a low"}));
}

TEST_F(FairQueueTest, ThePrioritiesMayBeTheLargestThereAre) {
  Insert("last", 1000, INT32_MIN);
  Insert("next", 1000, INT32_MAX);
  Insert("usual", 1000);
  EXPECT_EQ(Order(), (Ids{"next", "usual", "last"}));
}

TEST_F(FairQueueTest, WhatRanBeforeComesFirstAndIsNoTurnOfItsUser) {
  Insert("admin", 0, 100);
  Insert({.id = {"again"}, .uid = 1000, .priority = -5, .resumed = true});
  Insert("next", 1000, 100);
  EXPECT_EQ(Order(), (Ids{"again", "admin", "next"}));
  Insert("other", 1001, 100);
  queue_.Begin({"again"});
  EXPECT_EQ(Order(), (Ids{"admin", "next", "other"}));
}

TEST_F(FairQueueTest, ForgetsWhoHasLeft) {
  Insert("a", 1000);
  EXPECT_TRUE(queue_.Erase({"a"}));
  EXPECT_FALSE(queue_.Erase({"a"}));
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(queue_.PlaceOf({"a"}), std::nullopt);
}

TEST_F(FairQueueTest, ComputesTheOrderOnceAChangeAndOnlyWhenAsked) {
  for (unsigned i = 0; i < 100; ++i) Insert(std::to_string(i), 1000 + i % 7);
  queue_.Erase({"50"});
  EXPECT_EQ(queue_.PlaceOf({"50"}), std::nullopt);
  EXPECT_FALSE(queue_.Erase({"50"}));
  EXPECT_FALSE(queue_.Refresh(kNow));
  EXPECT_EQ(queue_.orders_computed(), 0U);
  Order();
  Next();
  EXPECT_EQ(queue_.orders_computed(), 1U);
  Ran(1000, kNow, minutes(1));
  Next();
  EXPECT_EQ(queue_.orders_computed(), 2U) << "waits have changed";
}

// ---- waits ----

TEST_F(FairQueueTest, WaitsForTheExpectedTimesOfThoseBefore) {
  Insert("a1", 1000, 0, minutes(10));
  Insert("a2", 1000, 0, seconds(5));
  Insert("b1", 1001, 0, minutes(1));
  Insert("a3", 1000);
  // In the order a1, b1, a2, a3. Nothing is known, so each counts with its limit.
  EXPECT_EQ(WaitOf("a1"), seconds(0));
  EXPECT_EQ(WaitOf("a3"), minutes(11) + seconds(5));
  Ran(1002, kNow, seconds(20));
  EXPECT_EQ(WaitOf("a3"), seconds(45)) << "a2 takes at most 5 s";
  queue_.Begin({"a1"});
  EXPECT_EQ(queue_.PlaceOf({"a3"}), (Place{3, seconds(25), {}}));
}

TEST_F(FairQueueTest, ExpectsTheMeanOfTheLastTwenty) {
  Ran(1000, kNow, minutes(100));
  for (int i = 0; i < 10; ++i) Ran(1000, kNow, seconds(10));
  for (int i = 0; i < 10; ++i) Ran(1000, kNow, seconds(30));
  Insert("a1", 1000);
  Insert("a2", 1000);
  EXPECT_EQ(WaitOf("a2"), seconds(20));
}

TEST_F(FairQueueTest, NobodyHadTheMachineForLessThanNoTime) {
  Insert("a1", 1000, 0, hours(1));
  Insert("a2", 1000);
  Ran(1000, kNow, minutes(10));
  Ran(1000, kNow, -minutes(1));
  EXPECT_EQ(WaitOf("a2"), minutes(5)) << "the clock was set back";
}

TEST_F(FairQueueTest, WaitsEndAtAYear) {
  // A hundred thousand months do not fit into Nanoseconds.
  for (int i = 0; i < 100'000; ++i) Insert(std::to_string(i), 1000, 0, hours(24 * 30));
  EXPECT_EQ(WaitOf("12"), hours(24 * 360));
  EXPECT_EQ(WaitOf("13"), FairQueue::kFarthest);
  EXPECT_EQ(WaitOf("99999"), FairQueue::kFarthest);
}

TEST_F(FairQueueTest, AMaxTimeMayBeTheLargestThereIs) {
  Insert("a1", 1000, 0, Nanoseconds::max());
  Insert("a2", 1000, 0, Nanoseconds::max());
  Insert("a3", 1000);
  EXPECT_EQ(WaitOf("a3"), FairQueue::kFarthest);
}

// ---- limits ----

class FairQueueLimitsTest : public FairQueueTest {
 protected:
  FairQueueLimitsTest() : FairQueueTest({.queued = 3, .running_a_day = hours(2)}) {}
};

TEST_F(FairQueueLimitsTest, WhoHadTheMachineLongEnoughWaitsUntilTheDayAllowsIt) {
  Ran(1000, kNow - hours(5), hours(3));
  Ran(1001, kNow - hours(1), hours(1));
  queue_.Serve(1000);
  queue_.Serve(1001);
  queue_.Refresh(kNow);
  Insert("mine", 1000, 10);
  EXPECT_EQ(Next(), "");
  // One of the three hours must be more than a day old: 24 h after one hour of running.
  const Timestamp when = kNow - hours(4) + hours(24) + Nanoseconds(1);
  EXPECT_EQ(queue_.NextRefresh(), when);
  EXPECT_EQ(queue_.PlaceOf({"mine"}), (Place{1, {}, when}));
  Insert("other", 1001);
  EXPECT_EQ(Next(), "other") << "has used one hour of two";
  EXPECT_EQ(Order(), (Ids{"other", "mine"}));
  EXPECT_FALSE(queue_.Refresh(when - Nanoseconds(1)));
  EXPECT_TRUE(queue_.Refresh(when));
  EXPECT_EQ(queue_.NextRefresh(), std::nullopt);
  EXPECT_EQ(queue_.PlaceOf({"mine"}), (Place{1, {}, {}}));
}

TEST_F(FairQueueLimitsTest, AddsWhatRanWithinTheDay) {
  Insert("mine", 1000);
  Ran(1000, kNow, hours(1));
  Ran(1000, kNow + hours(2), hours(2));
  Ran(1000, kNow + hours(25), minutes(50));
  // Of the two hours, 71 minutes lie within the 24 hours before: 121 with the last one.
  EXPECT_TRUE(queue_.Refresh(kNow + hours(26) + minutes(49)));
  EXPECT_EQ(queue_.PlaceOf({"mine"})->not_before, kNow + hours(26) + minutes(50) + Nanoseconds(1))
      << "two hours reach the limit, a moment less does not";
}

TEST_F(FairQueueLimitsTest, TimeInWhichBenchdWasAwayIsNone) {
  Insert("mine", 1000);
  queue_.Ended(1000, kNow, hours(1));  // the start time does not matter
  EXPECT_FALSE(queue_.Refresh(kNow));
  Ran(1000, kNow, hours(1));
  EXPECT_TRUE(queue_.Refresh(kNow + hours(1)));
  EXPECT_EQ(queue_.NextRefresh(), kNow - hours(1) + hours(24) + Nanoseconds(1));
}

TEST_F(FairQueueLimitsTest, WakesNobodyForAUserWhoDoesNotWait) {
  Ran(1000, kNow - hours(3), hours(3));
  EXPECT_TRUE(queue_.Refresh(kNow));
  EXPECT_EQ(queue_.NextRefresh(), std::nullopt);
  Insert({.id = {"admin's"}, .uid = 1000, .exempt = true});
  EXPECT_EQ(queue_.NextRefresh(), std::nullopt);
  Insert("mine", 1000);
  EXPECT_TRUE(queue_.NextRefresh());
}

TEST_F(FairQueueLimitsTest, AdminsAndWhatGoesOnAreNotHeld) {
  Ran(1000, kNow - hours(5), hours(3));
  queue_.Refresh(kNow);
  Insert("held", 1000);
  Insert({.id = {"admin's"}, .uid = 1000, .exempt = true});
  EXPECT_EQ(Order(), (Ids{"admin's", "held"}));
  EXPECT_EQ(queue_.PlaceOf({"admin's"})->not_before, std::nullopt);
  Insert({.id = {"again"}, .uid = 1000, .resumed = true});
  EXPECT_EQ(Next(), "again");
  EXPECT_EQ(queue_.PlaceOf({"again"})->not_before, std::nullopt);
}

TEST_F(FairQueueLimitsTest, CountsWaitingSessionsAndThoseOnTheirWay) {
  EXPECT_TRUE(queue_.CheckRoomFor(1000, 2, 0, {}));
  Insert("first", 1000);
  EXPECT_TRUE(queue_.CheckRoomFor(1000, 1, 0, {}));
  const Result<void> refused = queue_.CheckRoomFor(1000, 2, 0, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused.error());
  EXPECT_TRUE(queue_.CheckRoomFor(1001, 2, 0, {}));
  queue_.Erase({"first"});
  EXPECT_TRUE(queue_.CheckRoomFor(1000, 2, 0, {}));
}

TEST_F(FairQueueLimitsTest, CountsTheTimeThatSomebodyHadTheMachineByHand) {
  Insert("mine", 1000);
  for (int hour = 1; hour <= 2; ++hour) {
    EXPECT_FALSE(queue_.Refresh(kNow + hours(hour - 1)));
    queue_.Reserved(1000, kNow + hours(hour - 1), kNow + hours(hour));
  }
  EXPECT_TRUE(queue_.Refresh(kNow + hours(2)));
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(queue_.TimeLeft(1000, kNow + hours(2)), hours(0));
}

TEST_F(FairQueueLimitsTest, RefusesMoreTimeThanADayHasAndSaysWhatIsLeft) {
  Ran(1000, kNow - hours(1), minutes(50));
  EXPECT_TRUE(queue_.CheckTime(1000, "max-time", hours(2), kNow));
  const Result<void> refused = queue_.CheckTime(1000, "max-time", hours(24 * 30), kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused.error());
  // Use is free again after a day, the first half of it first.
  EXPECT_EQ(queue_.TimeLeft(1000, kNow + hours(23) + minutes(25)), minutes(95));
  EXPECT_EQ(queue_.TimeLeft(1001, kNow), hours(2));
}

class FairQueueBudgetTest : public FairQueueTest {
 protected:
  FairQueueBudgetTest() : FairQueueTest({.waiting_bytes = 1000, .submissions_a_day = 3}) {}
};

TEST_F(FairQueueBudgetTest, BoundsTheBytesOfWhatWaits) {
  Insert({.id = {"a"}, .uid = 1000, .bytes = 900});
  Insert({.id = {"admin's"}, .uid = 1000, .bytes = 10'000, .exempt = true});
  EXPECT_TRUE(queue_.CheckRoomFor(1000, 0, 100, kNow));
  const Result<void> refused = queue_.CheckRoomFor(1000, 0, 101, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_NE(refused.error().hint.find("waiting_mib_a_user"), std::string::npos);
  EXPECT_WORDING(refused.error());
  EXPECT_TRUE(queue_.CheckRoomFor(1001, 0, 1000, kNow));
  queue_.Begin({"a"});
  EXPECT_TRUE(queue_.CheckRoomFor(1000, 0, 1000, kNow));
}

TEST_F(FairQueueBudgetTest, BoundsTheSubmissionsOfADay) {
  for (int hour = 0; hour < 3; ++hour) {
    EXPECT_TRUE(queue_.CheckRoomFor(1000, 0, 0, kNow + hours(hour)));
    queue_.Submitted(1000, kNow + hours(hour));
  }
  const Result<void> refused = queue_.CheckRoomFor(1000, 0, 0, kNow + hours(3));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused.error());
  EXPECT_TRUE(queue_.CheckRoomFor(1001, 2, 0, kNow + hours(3)));
  EXPECT_FALSE(queue_.CheckRoomFor(1001, 3, 0, kNow + hours(3))) << "in progress";
  EXPECT_TRUE(queue_.CheckRoomFor(1000, 0, 0, kNow + hours(24)));
  EXPECT_FALSE(queue_.CheckRoomFor(1000, 1, 0, kNow + hours(24)));
}

TEST_F(FairQueueBudgetTest, TellsWhatIsTaken) {
  Insert({.id = {"a"}, .uid = 1000, .bytes = 900});
  queue_.Submitted(1000, kNow - hours(24));
  queue_.Submitted(1000, kNow);
  const std::vector<LimitUse> uses{{Limit::kQueuedAUser, 1000, 1, {}},
                                   {Limit::kWaitingAUser, 1000, 900, 1000},
                                   {Limit::kSubmissionsADay, 1000, 1, 3}};
  EXPECT_EQ(queue_.Uses(1000, kNow), uses);
  EXPECT_EQ(queue_.Uses({}, kNow), uses);
}

TEST_F(FairQueueLimitsTest, TellsTheTimeThatWasTakenWithinTheDay) {
  Ran(1000, kNow - hours(24) - minutes(30), hours(1));
  const std::vector<LimitUse> uses = queue_.Uses(1000, kNow);
  EXPECT_EQ(uses.back().limit, Limit::kRunningADay);
  EXPECT_EQ(uses.back().used, static_cast<std::uint64_t>(Nanoseconds(minutes(30)).count()));
}

// ---- laws ----

/// The rules in their simplest form, recomputed each time.
class PlainQueue {
 public:
  struct Span {
    std::uint32_t uid;
    Timestamp start;
    Timestamp end;
  };
  std::vector<QueuedSession> sessions;
  std::map<std::uint32_t, int> served;
  std::set<std::uint32_t> held;
  std::vector<Span> spans;
  int turn = 0;

  bool IsHeld(const QueuedSession& session) const {
    return held.contains(session.uid) && !session.resumed && !session.exempt;
  }
  /// The next session; held users only if `held_too`.
  std::optional<QueuedSession> Next(bool held_too) const {
    std::optional<QueuedSession> best;
    for (const QueuedSession& session : sessions) {
      if (!held_too && IsHeld(session)) continue;
      if (!best || KeyOf(session) < KeyOf(*best)) best = session;
    }
    return best;
  }
  void Begin(const SessionId& id) {
    const auto found = std::find_if(sessions.begin(), sessions.end(),
                                    [&id](const auto& session) { return session.id == id; });
    if (!found->resumed) served[found->uid] = ++turn;
    sessions.erase(found);
  }
  /// How long a user had used the machine at `now`, within the 24 hours before.
  Nanoseconds RanADay(std::uint32_t uid, Timestamp now) const {
    Nanoseconds sum{};
    for (const Span& span : spans) {
      const Timestamp start = std::max(span.start, now - hours(24));
      const Timestamp end = std::min(span.end, now);
      if (span.uid == uid && start < end) sum += end - start;
    }
    return sum;
  }
  /// The mean of the last 20; a year if there are none.
  Nanoseconds Typical() const {
    const std::size_t count = std::min<std::size_t>(spans.size(), 20);
    if (count == 0) return FairQueue::kFarthest;
    Nanoseconds sum{};
    for (std::size_t i = spans.size() - count; i < spans.size(); ++i) {
      sum += spans[i].end - spans[i].start;
    }
    return sum / static_cast<int>(count);
  }

 private:
  std::tuple<bool, bool, std::int32_t, int, std::uint64_t, std::uint64_t> KeyOf(
      const QueuedSession& session) const {
    if (session.resumed) return {false, false, 0, 0, 0, session.sequence};
    std::uint64_t oldest = session.sequence;
    for (const QueuedSession& other : sessions) {
      const bool same = other.uid == session.uid && other.priority == session.priority &&
                        IsHeld(other) == IsHeld(session);
      if (same && !other.resumed) oldest = std::min(oldest, other.sequence);
    }
    const auto had = served.find(session.uid);
    return {true,   IsHeld(session), -session.priority, had == served.end() ? 0 : had->second,
            oldest, session.sequence};
  }
};

constexpr Nanoseconds kADay = hours(2);  // the use per day that a user may have

/// Compares every place with the result of the plain rules.
void ExpectSamePlaces(FairQueue& queue, PlainQueue plain, Timestamp now) {
  ASSERT_EQ(queue.size(), plain.sessions.size());
  const std::optional<QueuedSession> next = plain.Next(false);
  ASSERT_EQ(queue.Next() == nullptr, !next);
  if (next) {
    ASSERT_EQ(queue.Next()->id, next->id);
  }
  const Nanoseconds typical = plain.Typical();
  std::uint64_t position = 1;
  Nanoseconds wait{};
  std::optional<Timestamp> next_refresh;
  while (const std::optional<QueuedSession> session = plain.Next(true)) {
    const std::optional<Place> place = queue.PlaceOf(session->id);
    ASSERT_TRUE(place);
    ASSERT_EQ(place->position, position++) << session->id.value;
    ASSERT_EQ(place->wait, wait) << session->id.value;
    ASSERT_EQ(place->not_before.has_value(), plain.IsHeld(*session));
    if (place->not_before) {
      // Without a Refresh() in between, it may have expired.
      const Timestamp when = std::max(*place->not_before, now);
      ASSERT_LT(plain.RanADay(session->uid, when), kADay);
      if (when > now) {
        ASSERT_GE(plain.RanADay(session->uid, when - Nanoseconds(1)), kADay);
      }
      next_refresh = std::min(next_refresh.value_or(*place->not_before), *place->not_before);
    }
    wait = std::min(wait + std::min(typical, session->max_time), FairQueue::kFarthest);
    plain.Begin(session->id);
  }
  if (next_refresh) {
    ASSERT_TRUE(queue.NextRefresh());
    ASSERT_LE(*queue.NextRefresh(), *next_refresh) << "the user of a resumed one may be held, too";
  }
}

TEST(FairQueuePropertyTest, KeepsToThePlainRulesWhateverHappens) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  FairQueue queue({.queued = {}, .running_a_day = kADay});
  PlainQueue plain;
  Timestamp now = kNow;
  std::uint64_t sequence = 0;
  int holds = 0;
  for (int step = 0; step < 3000 && !testing::Test::HasFatalFailure(); ++step) {
    const std::uint64_t action = below(20);
    const auto any = [&] { return plain.sessions[below(plain.sessions.size())]; };
    if (action < 8 && plain.sessions.size() < 25) {  // the plain rules are slow
      QueuedSession session;
      session.sequence = ++sequence;
      session.id = {std::to_string(session.sequence * 2654435761u % 1000003u)};
      session.uid = static_cast<std::uint32_t>(below(5));
      session.priority = static_cast<std::int32_t>(below(4)) - 2;
      session.max_time = seconds(1 + below(100));
      session.resumed = below(30) == 0;
      session.exempt = below(10) == 0;
      plain.sessions.push_back(session);
      queue.Insert(session);
    } else if (action < 10) {  // one has run, perhaps for longer than it waited
      const auto uid = static_cast<std::uint32_t>(below(5));
      const Nanoseconds duration = minutes(below(90));
      const Nanoseconds away = minutes(below(3) == 0 ? below(600) : 0);
      now += duration + away;
      plain.spans.push_back({uid, now - duration, now});
      queue.Ended(uid, now, duration);
    } else if (action < 12) {
      now += minutes(below(100));
      std::set<std::uint32_t> held;
      for (std::uint32_t uid = 0; uid < 5; ++uid) {
        if (plain.RanADay(uid, now) >= kADay) held.insert(uid);
      }
      ASSERT_EQ(queue.Refresh(now), held != plain.held);
      plain.held = held;
      holds += held.empty() ? 0 : 1;
    } else if (plain.sessions.empty()) {
      continue;
    } else if (action < 17) {
      const std::optional<QueuedSession> next = plain.Next(false);
      if (!next) continue;
      queue.Begin(next->id);
      plain.Begin(next->id);
    } else if (action < 19) {  // cancelled
      const SessionId id = any().id;
      ASSERT_TRUE(queue.Erase(id));
      std::erase_if(plain.sessions, [&id](const auto& session) { return session.id == id; });
    } else {  // moved
      QueuedSession& moved = plain.sessions[below(plain.sessions.size())];
      ASSERT_TRUE(queue.Erase(moved.id));
      moved.priority = static_cast<std::int32_t>(below(4)) - 2;
      queue.Insert(moved);
    }
    ExpectSamePlaces(queue, plain, now);
  }
  EXPECT_GT(holds, 50) << "otherwise holds are not tested";
}

TEST(FairQueuePropertyTest, OfTwoWhoWaitNeitherIsTwoTurnsAhead) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr std::uint32_t kUsers = 4;
  FairQueue queue({});
  std::size_t waiting[kUsers] = {};
  int turns[kUsers][kUsers] = {};  // turns of the first while both wait
  int largest = 0;
  for (std::uint64_t step = 1; step < 20'000; ++step) {
    if (random() % 2 == 0) {
      const auto uid = static_cast<std::uint32_t>(random() % kUsers);
      queue.Insert({.id = {std::to_string(step)}, .sequence = step, .uid = uid});
      ++waiting[uid];
    } else if (const QueuedSession* next = queue.Next()) {
      const std::uint32_t uid = next->uid;
      queue.Begin(SessionId(next->id));
      --waiting[uid];
      for (int& more : turns[uid]) ++more;
    }
    for (std::uint32_t a = 0; a < kUsers; ++a) {
      for (std::uint32_t b = 0; b < kUsers; ++b) {
        if (waiting[a] == 0 || waiting[b] == 0) turns[a][b] = 0;
        ASSERT_LE(turns[a][b], turns[b][a] + 1) << "uid " << a << " and " << b << ", step " << step;
        largest = std::max(largest, turns[a][b]);
      }
    }
  }
  EXPECT_GT(largest, 20) << "otherwise hardly any two were compared";
}

TEST(FairQueuePropertyTest, ASessionThatLeavesAndComesBackHasItsPlaceAgain) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  FairQueue queue({});
  std::vector<QueuedSession> sessions;
  for (std::uint64_t i = 0; i < 300; ++i) {
    QueuedSession session{.id = {std::to_string(i)}, .sequence = i, .max_time = minutes(i)};
    session.uid = static_cast<std::uint32_t>(random() % 7);
    session.priority = static_cast<std::int32_t>(random() % 3);
    session.resumed = random() % 50 == 0;
    sessions.push_back(session);
    queue.Insert(session);
    if (i % 10 == 0) queue.Serve(session.uid);
  }
  const auto places = [&] {
    std::vector<Place> all;
    for (const QueuedSession& session : sessions) all.push_back(queue.PlaceOf(session.id).value());
    return all;
  };
  const std::vector<Place> before = places();
  for (const QueuedSession& session : sessions) {
    ASSERT_TRUE(queue.Erase(session.id));
    queue.Insert(session);
    ASSERT_EQ(places(), before) << session.id.value;
  }
}

}  // namespace
}  // namespace benchd
