#include "daemon/session/event_hub.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace benchd {
namespace {

SessionSnapshot SnapshotOf(const std::string& id, std::uint64_t position = 0) {
  SessionSnapshot snapshot;
  snapshot.id = SessionId{id};
  snapshot.position = position;
  return snapshot;
}

TEST(EventHubTest, TellsTheWatchersOfThatSessionOnly) {
  EventHub hub;
  std::vector<std::uint64_t> seen;
  const auto note = [&seen](const EventHub::Snapshot& s) { seen.push_back(s->position); };
  const EventHub::Subscription one = hub.Subscribe(SessionId{"one"}, note);
  hub.Publish(SnapshotOf("one", 4));
  hub.Publish(SnapshotOf("two", 5));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{4}));
}

TEST(EventHubTest, StopsTellingWhenTheSubscriptionEnds) {
  EventHub hub;
  int calls = 0;
  {
    const auto watcher = hub.Subscribe(SessionId{"one"}, [&calls](const auto&) { ++calls; });
    EXPECT_EQ(hub.WatcherCount(SessionId{"one"}), 1U);
  }
  hub.Publish(SnapshotOf("one"));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(hub.WatcherCount(SessionId{"one"}), 0U);
}

TEST(EventHubTest, LetsAWatcherUnsubscribeItselfAndOthersWhileItIsTold) {
  EventHub hub;
  EventHub::Subscription first;
  EventHub::Subscription second;
  int second_calls = 0;
  first = hub.Subscribe(SessionId{"one"}, [&first, &second](const auto&) {
    second = {};
    first = {};
  });
  second = hub.Subscribe(SessionId{"one"}, [&second_calls](const auto&) { ++second_calls; });
  hub.Publish(SnapshotOf("one"));
  EXPECT_EQ(second_calls, 0);
  EXPECT_EQ(hub.WatcherCount(SessionId{"one"}), 0U);
}

TEST(EventHubTest, KnowsWhichSessionsAreWatched) {
  EventHub hub;
  const auto first = hub.Subscribe(SessionId{"one"}, [](const auto&) {});
  const auto second = hub.Subscribe(SessionId{"one"}, [](const auto&) {});
  {
    const auto gone = hub.Subscribe(SessionId{"two"}, [](const auto&) {});
  }
  EXPECT_EQ(hub.Watched(), (std::set<SessionId>{{"one"}}));
}

TEST(EventHubTest, KeepsASubscriptionThatWasMoved) {
  EventHub hub;
  int calls = 0;
  EventHub::Subscription moved;
  {
    auto watcher = hub.Subscribe(SessionId{"one"}, [&calls](const auto&) { ++calls; });
    moved = std::move(watcher);
  }
  hub.Publish(SnapshotOf("one"));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace benchd
