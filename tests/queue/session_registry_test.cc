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

SessionRecord Record(const std::string& id, std::uint32_t uid) {
  SessionRecord record;
  record.snapshot.id = {id};
  record.spec.caller = User(uid);
  return record;
}

class SessionRegistryTest : public testing::Test {
 protected:
  void Add(SessionRecord record) { registry_.Add(++key_, std::move(record)); }
  std::vector<std::string> Listed(const SessionFilter& filter) {
    return IdsOf(registry_.List(filter));
  }
  static std::vector<std::string> IdsOf(const std::vector<SessionView>& views) {
    std::vector<std::string> ids;
    for (const SessionView& view : views) ids.push_back(view.id.value);
    return ids;
  }

  using Ids = std::vector<std::string>;
  SessionRegistry registry_;
  std::uint64_t key_ = 0;
};

TEST_F(SessionRegistryTest, KeepsNoEnvironment) {
  SessionRecord record = Record("a", 1000);
  record.spec.environment["SECRET"] = "x";
  record.spec.benchmarks.emplace_back().arms.emplace_back().env["TOKEN"] = "y";
  Add(record);
  const SessionSpec& spec = registry_.Find({"a"})->spec;
  EXPECT_TRUE(spec.environment.empty());
  EXPECT_EQ(spec.benchmarks[0].arms[0].env.at("TOKEN"), "");
}

TEST_F(SessionRegistryTest, KeepsASessionUntilItHasEnded) {
  Add(Record("a", 1000));
  SessionSnapshot snapshot = registry_.Find({"a"})->snapshot;
  snapshot.state = SessionState::kRunning;
  snapshot.started_at = Timestamp(Nanoseconds(5));
  registry_.Set(snapshot);
  EXPECT_EQ(registry_.Find({"a"})->snapshot, snapshot);
  EXPECT_EQ(registry_.KeyOf({"a"}), 1U);
  snapshot.state = SessionState::kDone;
  registry_.Set(snapshot);
  EXPECT_EQ(registry_.Find({"a"}), nullptr);
  EXPECT_EQ(Listed({.all = true}), (Ids{}));
  snapshot.state = SessionState::kRunning;
  registry_.Set(snapshot);
  EXPECT_EQ(registry_.Find({"a"}), nullptr) << "an end is final";
}

TEST_F(SessionRegistryTest, ASessionHasTheBenchmarksThatWereFoundInItsPrograms) {
  SessionRecord record = Record("a", 1000);
  record.spec.benchmarks.emplace_back().harness = "go";
  Add(record);
  SessionSnapshot snapshot = registry_.Find({"a"})->snapshot;
  snapshot.found = {{.benchmark = 0, .names = {"BenchmarkA", "BenchmarkB"}}};
  for (int publication = 0; publication < 2; ++publication) {
    registry_.Set(snapshot);
    const std::vector<Benchmark>& benchmarks = registry_.Find({"a"})->spec.benchmarks;
    ASSERT_EQ(benchmarks.size(), 2U);
    EXPECT_EQ(benchmarks[1].name, "BenchmarkB");
  }
}

TEST_F(SessionRegistryTest, ListsTheNewestFirst) {
  for (const char* id : {"z", "a", "m"}) Add(Record(id, 1000));
  Add(Record("b", 1001));
  EXPECT_EQ(Listed({}), (Ids{"b", "m", "a", "z"}));
  EXPECT_EQ(Listed({.limit = 2}), (Ids{"b", "m"}));
  EXPECT_EQ(Listed({.before = 3}), (Ids{"a", "z"}));
  EXPECT_EQ(Listed({.owner = 1001}), (Ids{"b"}));
  EXPECT_EQ(Listed({.state = SessionState::kRunning}), (Ids{}));
}

TEST_F(SessionRegistryTest, MatchesAllLabels) {
  SessionRecord record = Record("a", 1000);
  record.spec.labels = {{"branch", "main"}, {"ticket", "7"}};
  Add(record);
  EXPECT_EQ(Listed({.labels = {{"branch", "main"}}}), (Ids{"a"}));
  EXPECT_EQ(Listed({.labels = {{"branch", "main"}, {"ticket", "8"}}}), (Ids{}));
}

TEST_F(SessionRegistryTest, MatchesPrefixes) {
  for (const char* id : {"abd", "abc", "xyz"}) Add(Record(id, 1000));
  EXPECT_EQ(IdsOf(registry_.Matching("ab")), (Ids{"abc", "abd"}));
  EXPECT_EQ(IdsOf(registry_.Matching("abcd")), (Ids{}));
}

TEST(ChooseSessionTest, ChoosesAmongOnesOwn) {
  const std::vector<SessionView> found = {
      {.id = {"abc"}, .uid = 1000}, {.id = {"abd"}, .uid = 1001}, {.id = {"ab"}, .uid = 1002}};
  const auto chosen = [&found](std::uint32_t uid, const std::string& prefix) {
    return ChooseSession({}, User(uid), prefix, found);
  };
  EXPECT_EQ(chosen(1000, "ab")->value, "abc");
  EXPECT_EQ(chosen(1001, "ab")->value, "abd");
  EXPECT_EQ(chosen(0, "a").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(chosen(0, "ab")->value, "ab") << "a whole id is no beginning of others";
  EXPECT_EQ(chosen(1003, "ab").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(chosen(1003, "a").error().code, ErrorCode::kNotFound);
}

TEST(ChooseSessionTest, TakesOneThatIsFoundTwiceForOne) {
  const SessionView view{.id = {"abc"}, .uid = 1000};
  EXPECT_EQ(ChooseSession({}, User(1000), "ab", {view, view})->value, "abc");
}

}  // namespace
}  // namespace benchd
