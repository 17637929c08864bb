#include "daemon/queue/session_book.h"

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

class SessionBookTest : public testing::Test {
 protected:
  std::vector<std::string> Listed(const SessionFilter& filter, std::uint32_t uid = 0) {
    std::vector<std::string> ids;
    for (const SessionView& view : book_.List(User(uid), filter)) {
      ids.push_back(view.record.snapshot.id.value);
    }
    return ids;
  }
  void Finish(const std::string& id) {
    SessionSnapshot snapshot = book_.Find({id})->snapshot;
    snapshot.state = SessionState::kDone;
    book_.Set(std::move(snapshot));
  }

  using Ids = std::vector<std::string>;
  SessionBook book_{AccessPolicy{}};
};

TEST_F(SessionBookTest, KeepsNoEnvironment) {
  SessionRecord record = Record("a", 1000);
  record.spec.environment["SECRET"] = "x";
  record.spec.benchmarks.emplace_back().arms.emplace_back().env["TOKEN"] = "y";
  book_.Add(record);
  const SessionSpec& spec = book_.Find({"a"})->spec;
  EXPECT_TRUE(spec.environment.empty());
  EXPECT_EQ(spec.benchmarks[0].arms[0].env.at("TOKEN"), "");
}

TEST_F(SessionBookTest, ListsTheNewestFirstAndEndedOnesOnRequest) {
  for (const char* id : {"z", "a", "m"}) book_.Add(Record(id, 1000));
  Finish("a");
  EXPECT_EQ(Listed({}), (Ids{"m", "z"}));
  EXPECT_EQ(Listed({.all = true}), (Ids{"m", "a", "z"}));
  EXPECT_EQ(Listed({.state = SessionState::kDone}), (Ids{"a"}));
  EXPECT_EQ(Listed({.all = true, .state = SessionState::kQueued}), (Ids{"m", "z"}));
}

TEST_F(SessionBookTest, ListsPageAfterPageWhateverComesAndGoesBetween) {
  for (const char* id : {"a", "b", "c", "d", "e"}) book_.Add(Record(id, 1000));
  SessionFilter filter{.all = true};
  filter.limit = 2;
  const std::vector<SessionView> page = book_.List(User(1000), filter);
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[1].record.snapshot.id.value, "d");
  filter.before = page[1].sequence;
  book_.Remove({"d"});
  book_.Remove({"c"});
  book_.Add(Record("f", 1000));
  EXPECT_EQ(Listed(filter), (Ids{"b", "a"}));
}

TEST_F(SessionBookTest, LabelsMatchOnlyWhatOneMaySee) {
  SessionRecord record = Record("a", 1000);
  record.spec.labels["branch"] = "main";
  book_.Add(record);
  const SessionFilter filter{.all = false, .state = {}, .labels = {{"branch", "main"}}};
  EXPECT_EQ(Listed(filter, 1000), (Ids{"a"}));
  EXPECT_EQ(Listed(filter, 1001), (Ids{}));
}

TEST_F(SessionBookTest, LooksPrefixesUpAmongOnesOwn) {
  book_.Add(Record("abc", 1000));
  book_.Add(Record("abd", 1001));
  book_.Add(Record("xyz", 1000));
  EXPECT_EQ(book_.LookUp(User(1000), "ab")->value, "abc");
  EXPECT_EQ(book_.LookUp(User(1001), "ab")->value, "abd");
  EXPECT_EQ(book_.LookUp(User(0), "ab").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(book_.LookUp(User(1001), "xyz").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(book_.LookUp(User(1001), "xy").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(book_.LookUp(User(1000), "").error().code, ErrorCode::kNotFound);
}

TEST_F(SessionBookTest, WhatIsRemovedIsGoneEverywhere) {
  book_.Add(Record("a", 1000, "request"));
  EXPECT_EQ(book_.OfRequest(1000, "request")->snapshot.id.value, "a");
  EXPECT_EQ(book_.OfRequest(1001, "request"), nullptr);
  book_.Remove({"a"});
  book_.Remove({"a"});
  EXPECT_EQ(book_.OfRequest(1000, "request"), nullptr);
  EXPECT_EQ(book_.Find({"a"}), nullptr);
  EXPECT_EQ(Listed({.all = true}), (Ids{}));
  EXPECT_EQ(book_.Add(Record("b", 1000, "request")), 1U) << "a place is never given twice";
}

}  // namespace
}  // namespace benchd
