#include "daemon/queue/waiting_list.h"

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

namespace benchd {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class WaitingListTest : public testing::Test {
 protected:
  void Insert(const std::string& id, std::uint32_t uid, std::int32_t priority = 0,
              Nanoseconds max_time = minutes(10), bool resumed = false) {
    list_.Insert({{id}, next_++, uid, priority, max_time, resumed});
  }
  std::string Next() const {
    const WaitingSession* next = list_.Next();
    return next == nullptr ? "" : next->id.value;
  }
  /// The order in which all would begin, without beginning any.
  std::vector<std::string> Order() const {
    std::vector<std::string> order(list_.size());
    for (const auto& [id, place] : list_.Places()) order.at(place.position - 1) = id.value;
    return order;
  }

  using Ids = std::vector<std::string>;
  WaitingList list_;
  std::uint64_t next_ = 1;
};

TEST_F(WaitingListTest, UsersOfOnePriorityTakeTurns) {
  for (const char* id : {"a1", "a2", "a3"}) Insert(id, 1000);
  Insert("b1", 1001);
  Insert("c1", 1002);
  Insert("b2", 1001);
  EXPECT_EQ(Order(), (Ids{"a1", "b1", "c1", "a2", "b2", "a3"}));
}

TEST_F(WaitingListTest, WhoWasServedLeastRecentlyIsNext) {
  Insert("a1", 1000);
  Insert("a2", 1000);
  list_.Begin({"a1"});
  Insert("b1", 1001);
  EXPECT_EQ(Next(), "b1") << "submitted after a2, but never served";
  list_.Begin({"b1"});
  Insert("b2", 1001);
  EXPECT_EQ(Next(), "a2");
}

TEST_F(WaitingListTest, PriorityGoesBeforeFairnessAndATurnCountsAtEveryPriority) {
  Insert("a low", 1000, -1);
  Insert("b low", 1001, -1);
  Insert("a high", 1000, 5);
  EXPECT_EQ(Order(), (Ids{"a high", "b low", "a low"}));
}

TEST_F(WaitingListTest, WhatRanBeforeComesFirstAndIsNoTurnOfItsUser) {
  Insert("admin", 0, 100);
  Insert("again", 1000, -5, minutes(10), true);
  Insert("next", 1000, 100);
  EXPECT_EQ(Order(), (Ids{"again", "admin", "next"}));
  list_.Begin({"again"});
  EXPECT_EQ(Order(), (Ids{"admin", "next"}));
}

TEST_F(WaitingListTest, UsersThatAreHeldArePassedOver) {
  Insert("a", 1000, 10);
  Insert("b", 1001);
  list_.Hold({1000});
  EXPECT_EQ(Order(), (Ids{"b", "a"}));
  EXPECT_EQ(Next(), "b");
  list_.Begin({"b"});
  EXPECT_EQ(Next(), "");
  list_.Hold({});
  EXPECT_EQ(Next(), "a");
}

TEST_F(WaitingListTest, WaitsForTheExpectedTimesOfThoseBefore) {
  Insert("a1", 1000, 0, minutes(10));
  Insert("a2", 1000, 0, seconds(5));
  Insert("b1", 1001, 0, minutes(1));
  Insert("a3", 1000);
  // In the order a1, b1, a2, a3; nothing is known: as long as they may take.
  EXPECT_EQ(list_.PlaceOf({"a1"}).wait, seconds(0));
  EXPECT_EQ(list_.PlaceOf({"a3"}).wait, minutes(11) + seconds(5));
  list_.Expect(seconds(20));
  EXPECT_EQ(list_.PlaceOf({"a3"}).wait, seconds(45)) << "a2 takes 5 s at most";
  list_.Begin({"a1"});
  EXPECT_EQ(list_.PlaceOf({"a3"}), (WaitingPlace{3, seconds(25)}));
}

TEST_F(WaitingListTest, ATenthOfAMillionMonthsCanBeAdded) {
  for (int i = 0; i < 100'000; ++i) {
    Insert(std::to_string(i), 1000, 0, std::chrono::hours(24 * 30));
  }
  EXPECT_EQ(list_.PlaceOf({"99999"}).wait, std::chrono::hours(24 * 30) * 99'999);
}

TEST_F(WaitingListTest, ComputesOnlyThePlacesThatAreAskedFor) {
  for (int i = 0; i < 10'000; ++i) Insert(std::to_string(i), 1000 + i % 7u);
  list_.Erase({"5000"});
  Next();
  EXPECT_EQ(list_.places_computed(), 0U);
  list_.PlaceOf({"9999"});
  EXPECT_EQ(list_.places_computed(), 1U);
}

TEST_F(WaitingListTest, ForgetsWhoHasLeft) {
  Insert("a", 1000);
  EXPECT_TRUE(list_.Erase({"a"}));
  EXPECT_FALSE(list_.Erase({"a"}));
  EXPECT_EQ(list_.size(), 0U);
  EXPECT_EQ(list_.CountOf(1000), 0U);
  EXPECT_EQ(Next(), "");
}

/// The rule in its plainest form: looks at everything each time.
class PlainList {
 public:
  std::vector<WaitingSession> sessions;
  std::map<std::uint32_t, int> served;
  std::set<std::uint32_t> held;
  int turn = 0;

  /// The next one; those who are held only when `held_too`.
  std::optional<WaitingSession> Next(bool held_too) const {
    std::optional<WaitingSession> best;
    for (const WaitingSession& session : sessions) {
      if (!held_too && held.contains(session.uid) && !session.resumed) continue;
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

 private:
  std::tuple<bool, bool, std::int32_t, int, std::uint64_t, std::uint64_t> KeyOf(
      const WaitingSession& session) const {
    if (session.resumed) return {false, false, 0, 0, 0, session.sequence};
    std::uint64_t oldest = session.sequence;
    for (const WaitingSession& other : sessions) {
      const bool same = other.uid == session.uid && other.priority == session.priority;
      if (same && !other.resumed) oldest = std::min(oldest, other.sequence);
    }
    const auto had = served.find(session.uid);
    return {true,
            held.contains(session.uid),
            -session.priority,
            had == served.end() ? 0 : had->second,
            oldest,
            session.sequence};
  }
};

/// Compares every place with what the plain rule leads to.
void ExpectSamePlaces(const WaitingList& list, PlainList plain,
                      std::optional<Nanoseconds> typical) {
  const std::map<SessionId, WaitingPlace> places = list.Places();
  ASSERT_EQ(places.size(), plain.sessions.size());
  const std::optional<WaitingSession> next = plain.Next(false);
  ASSERT_EQ(list.Next() == nullptr, !next);
  if (next) {
    ASSERT_EQ(list.Next()->id, next->id);
  }
  WaitingPlace place{1, {}};
  while (const std::optional<WaitingSession> session = plain.Next(true)) {
    ASSERT_EQ(places.at(session->id), place) << session->id.value;
    ASSERT_EQ(list.PlaceOf(session->id), place) << session->id.value;
    ++place.position;
    const Nanoseconds duration =
        typical ? std::min(*typical, session->max_time) : session->max_time;
    place.wait += std::chrono::duration_cast<WaitingLine::Sum>(duration);
    plain.Begin(session->id);
  }
}

TEST(WaitingListPropertyTest, KeepsToThePlainRuleWhateverHappens) {
  const std::uint32_t seed = TestSeed();
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  WaitingList list;
  PlainList plain;
  std::optional<Nanoseconds> typical;
  std::uint64_t sequence = 0;
  for (int step = 0; step < 3000 && !testing::Test::HasFatalFailure(); ++step) {
    const std::uint64_t action = below(20);
    const auto any = [&] { return plain.sessions[below(plain.sessions.size())]; };
    if (action < 9) {
      WaitingSession session;
      session.sequence = ++sequence;
      session.id = {std::to_string(session.sequence * 2654435761u % 1000003u)};
      session.uid = static_cast<std::uint32_t>(below(5));
      session.priority = static_cast<std::int32_t>(below(4)) - 2;
      session.max_time = seconds(1 + below(100));
      session.resumed = below(30) == 0;
      plain.sessions.push_back(session);
      list.Insert(session);
    } else if (plain.sessions.empty()) {
      continue;
    } else if (action < 15) {
      const std::optional<WaitingSession> next = plain.Next(false);
      if (!next) continue;
      list.Begin(next->id);
      plain.Begin(next->id);
    } else if (action < 17) {  // cancelled
      const SessionId id = any().id;
      ASSERT_TRUE(list.Erase(id));
      std::erase_if(plain.sessions, [&id](const auto& session) { return session.id == id; });
    } else if (action < 18) {  // moved
      WaitingSession& moved = plain.sessions[below(plain.sessions.size())];
      ASSERT_TRUE(list.Erase(moved.id));
      moved.priority = static_cast<std::int32_t>(below(4)) - 2;
      list.Insert(moved);
    } else if (action < 19) {
      plain.held.clear();
      for (std::uint32_t uid = 0; uid < 5; ++uid) {
        if (below(4) == 0) plain.held.insert(uid);
      }
      list.Hold(plain.held);
    } else {
      typical = below(3) == 0 ? std::optional<Nanoseconds>() : seconds(1 + below(60));
      list.Expect(typical);
    }
    ExpectSamePlaces(list, plain, typical);
  }
}

}  // namespace
}  // namespace benchd
