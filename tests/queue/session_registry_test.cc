#include "daemon/queue/session_registry.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

Caller User(std::uint32_t uid) {
  Caller caller;
  caller.uid = uid;
  caller.gid = uid;
  return caller;
}

SessionRecord Record(const std::string& id, std::uint32_t uid, const std::string& request = {}) {
  SessionRecord record;
  record.snapshot.id = {id};
  record.spec.caller = User(uid);
  record.request_id = request;
  return record;
}

class SessionRegistryTest : public testing::Test {
 protected:
  std::vector<std::string> Listed(const SessionFilter& filter, std::uint32_t uid = 0) {
    std::vector<std::string> ids;
    for (const SessionView& view : registry_.List(User(uid), filter).views) {
      ids.push_back(view.id.value);
    }
    return ids;
  }
  void Finish(const std::string& id) {
    SessionSnapshot snapshot = registry_.Find({id})->snapshot;
    snapshot.state = SessionState::kDone;
    registry_.Set(std::move(snapshot));
  }

  using Ids = std::vector<std::string>;
  SessionRegistry registry_{AccessPolicy{}};
};

TEST_F(SessionRegistryTest, KeepsNoEnvironment) {
  SessionRecord record = Record("a", 1000);
  record.spec.environment["SECRET"] = "x";
  record.spec.benchmarks.emplace_back().arms.emplace_back().env["TOKEN"] = "y";
  registry_.Add(record);
  const SessionSpec& spec = registry_.Find({"a"})->spec;
  EXPECT_TRUE(spec.environment.empty());
  EXPECT_EQ(spec.benchmarks[0].arms[0].env.at("TOKEN"), "");
}

TEST_F(SessionRegistryTest, KeepsOnlyTheHeadOfWhatHasEnded) {
  registry_.Add(Record("a", 1000, "request"));
  registry_.Add(SessionHead{.id = {"b"}, .uid = 1001, .state = SessionState::kCancelled});
  SessionSnapshot running = registry_.Find({"a"})->snapshot;
  running.state = SessionState::kRunning;
  running.started_at = Timestamp(Nanoseconds(5));
  registry_.Set(running);
  EXPECT_EQ(registry_.Find({"a"})->snapshot, running);
  EXPECT_EQ(registry_.FindHead({"a"})->state, SessionState::kRunning);
  Finish("a");
  EXPECT_EQ(registry_.Find({"a"}), nullptr);
  EXPECT_EQ(registry_.FindHead({"a"})->state, SessionState::kDone);
  EXPECT_EQ(registry_.FindHead({"a"})->started_at, running.started_at);
  EXPECT_EQ(registry_.OfRequest(1000, "request")->value, "a");
  registry_.Set(running);
  EXPECT_EQ(registry_.FindHead({"a"})->state, SessionState::kDone) << "an end is final";
  EXPECT_EQ(registry_.Find({"b"}), nullptr);
  EXPECT_EQ(Listed({.state = SessionState::kCancelled}), (Ids{"b"}));
}

TEST_F(SessionRegistryTest, ListsTheNewestFirstAndEndedOnesOnRequest) {
  for (const char* id : {"z", "a", "m"}) registry_.Add(Record(id, 1000));
  Finish("a");
  EXPECT_EQ(Listed({}), (Ids{"m", "z"}));
  EXPECT_EQ(Listed({.all = true}), (Ids{"m", "a", "z"}));
  EXPECT_EQ(Listed({.state = SessionState::kDone}), (Ids{"a"}));
  EXPECT_EQ(Listed({.all = true, .state = SessionState::kQueued}), (Ids{"m", "z"}));
}

TEST_F(SessionRegistryTest, ListsPageAfterPageWhateverComesAndGoesBetween) {
  for (const char* id : {"a", "b", "c", "d", "e"}) registry_.Add(Record(id, 1000));
  SessionFilter filter{.all = true};
  filter.limit = 2;
  const std::vector<SessionView> entry = registry_.List(User(1000), filter).views;
  ASSERT_EQ(entry.size(), 2U);
  EXPECT_EQ(entry[1].id.value, "d");
  filter.before = entry[1].sequence;
  registry_.Remove({"d"});
  registry_.Remove({"c"});
  registry_.Add(Record("f", 1000));
  EXPECT_EQ(Listed(filter), (Ids{"b", "a"}));
}

TEST_F(SessionRegistryTest, LabelsMatchOnlyWhatOneMaySee) {
  SessionRecord record = Record("a", 1000);
  record.spec.labels["branch"] = "main";
  registry_.Add(record);
  const SessionFilter filter{.all = false, .state = {}, .labels = {{"branch", "main"}}};
  EXPECT_EQ(Listed(filter, 1000), (Ids{"a"}));
  EXPECT_EQ(Listed(filter, 1001), (Ids{}));
}

TEST_F(SessionRegistryTest, LooksPrefixesUpAmongOnesOwn) {
  registry_.Add(Record("abc", 1000));
  registry_.Add(Record("abd", 1001));
  registry_.Add(Record("xyz", 1000));
  EXPECT_EQ(registry_.LookUp(User(1000), "ab")->value, "abc");
  EXPECT_EQ(registry_.LookUp(User(1001), "ab")->value, "abd");
  EXPECT_EQ(registry_.LookUp(User(0), "ab").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(registry_.LookUp(User(1001), "xyz").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(registry_.LookUp(User(1001), "xy").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(registry_.LookUp(User(1000), "").error().code, ErrorCode::kNotFound);
}

TEST_F(SessionRegistryTest, WhatIsRemovedIsGoneEverywhere) {
  registry_.Add(Record("a", 1000, "request"));
  EXPECT_EQ(registry_.OfRequest(1000, "request")->value, "a");
  EXPECT_EQ(registry_.OfRequest(1001, "request"), std::nullopt);
  registry_.Remove({"a"});
  registry_.Remove({"a"});
  EXPECT_EQ(registry_.OfRequest(1000, "request"), std::nullopt);
  EXPECT_EQ(registry_.Find({"a"}), nullptr);
  EXPECT_EQ(registry_.FindHead({"a"}), nullptr);
  EXPECT_EQ(Listed({.all = true}), (Ids{}));
  EXPECT_EQ(registry_.Add(Record("b", 1000, "request")), 1U) << "a place is never reused";
}

TEST_F(SessionRegistryTest, LooksAtSoManyAtATimeForALabelThatNoneHas) {
  const std::size_t all = SessionRegistry::kMostLookedAt + 5;
  for (std::size_t i = 0; i < all; ++i) {
    registry_.Add(SessionHead{.id = {std::to_string(i)}, .state = SessionState::kDone});
  }
  SessionFilter filter{.all = true, .labels = {{"k", "v"}}};
  const SessionPage page = registry_.List(User(0), filter);
  EXPECT_TRUE(page.views.empty());
  ASSERT_EQ(page.rest, 5U);
  filter.before = *page.rest;
  EXPECT_EQ(registry_.List(User(0), filter).rest, std::nullopt);
  // A client that continues misses no session.
  filter = {.all = true};
  const SessionPage first = registry_.List(User(0), filter);
  filter.before = *first.rest;
  EXPECT_EQ(first.views.size() + registry_.List(User(0), filter).views.size(), all);
}

}  // namespace
}  // namespace benchd
