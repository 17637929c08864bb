#include "daemon/store/pruning.h"

#include <ctime>
#include <iostream>

#include "tests/store/store_fixture.h"

namespace benchd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Timestamp kNow{Nanoseconds(1000)};

class PruningTest : public StoreTest {
 protected:
  void SetUp() override { Open(); }

  SessionId InsertOf(std::uint32_t uid, const std::string& id) {
    SessionRecord record = PlainRecord(id);
    record.spec.caller.uid = uid;
    return Insert(record);
  }
  /// A session of one uid with a log of that size and that end time.
  void Kept(const std::string& id, std::uint32_t uid, std::int64_t ended_at_ns,
            std::size_t log_bytes = 10) {
    const SessionId session = InsertOf(uid, id);
    ASSERT_TRUE(records_->Append(session, {}, std::string(log_bytes, 'x')));
    End(session, ended_at_ns);
  }
  /// Prunes repeatedly until nothing is left, as the queue does. @return all deleted sessions.
  std::string Prune(const RetentionPolicy& policy, Timestamp now = kNow) {
    std::string all;
    for (int call = 0; call < 1000; ++call) {
      Result<std::vector<SessionId>> deleted = records_->Prune(policy, now);
      EXPECT_TRUE(deleted) << deleted.error().message;
      if (!deleted || deleted->empty()) return all;
      for (const SessionId& id : *deleted) all += id.value;
    }
    ADD_FAILURE() << "it never ends";
    return all;
  }
  static RetentionPolicy Bytes(std::uint64_t bytes) {
    RetentionPolicy policy;
    policy.bytes = bytes;
    return policy;
  }
};

TEST_F(PruningTest, KeepsEverythingWhereNothingIsSaid) {
  Kept("a", 1, 1);
  Kept("b", 1, 2);
  EXPECT_EQ(Prune({}), "");
  EXPECT_EQ(Ids(), "ab");
}

TEST_F(PruningTest, DeletesWhatEndedTooLongAgoOldestEndFirstAndNeverTheLast) {
  Kept("a", 1, 300);
  Kept("b", 1, 100);
  Kept("c", 2, 899);
  Kept("d", 1, 900);
  const SessionId waiting = Insert("w");
  RetentionPolicy policy;
  policy.age = Nanoseconds(100);
  EXPECT_EQ(Prune(policy), "bac");
  EXPECT_EQ(Ids(), "dw");
  // However old it becomes.
  EXPECT_EQ(Prune(policy, Timestamp(Nanoseconds(1'000'000))), "");
  EXPECT_EQ(Ids(), "dw");
  EXPECT_FALSE(records_->Load({"a"}));
  EXPECT_FALSE(records_->LoadRuns({"a"}, 0, 1, kAll));
  EXPECT_FALSE(records_->History({"a"}));
  EXPECT_TRUE(records_->Load(waiting));
}

TEST_F(PruningTest, DeletesUntilTheSessionsTogetherFitWithThoseThatHaveNotEnded) {
  for (const char* id : {"a", "b", "c", "d"}) Kept(id, 1, id[0], 100'000);
  SessionRecord waiting = PlainRecord("w");
  waiting.request_id = "w";
  waiting.spec.labels["long"] = std::string(100'000, 'l');
  Insert(waiting);
  // Each takes slightly more than 100,000 bytes.
  EXPECT_EQ(Prune(Bytes(600'000)), "");
  EXPECT_EQ(Prune(Bytes(450'000)), "a");
  EXPECT_EQ(Prune(Bytes(450'000)), "");
  EXPECT_EQ(Prune(Bytes(0)), "bc");
  EXPECT_EQ(Ids(), "dw");
}

TEST_F(PruningTest, DeletesOnlyOfTheUserWhoKeepsTooMuch) {
  Kept("a", 1, 1, 100'000);
  Kept("b", 2, 2, 10);
  Kept("c", 1, 3, 100'000);
  Kept("d", 2, 4, 100'000);
  Kept("e", 1, 5, 100'000);
  RetentionPolicy policy;
  policy.bytes_per_user = 150'000;
  EXPECT_EQ(Prune(policy), "ac");
  EXPECT_EQ(Ids(), "bde");
}

TEST_F(PruningTest, CountsRunsAsWhatASessionTakes) {
  const SessionId id = Insert("a");
  const SessionId plain = Insert("b");
  Append(id, {PlainRun(0, 0), PlainRun(0, 1)});
  End(id, 1);
  End(plain, 2);
  // 9 samples of 16 bytes (run_table.h), 64 for the other columns, and the names.
  EXPECT_EQ(Number("SELECT bytes FROM sessions WHERE id = 'a'") -
                Number("SELECT bytes FROM sessions WHERE id = 'b'"),
            2 * (9 * 16 + 64) +
                Number("SELECT sum(length(name) + length(inner_benchmark) + 16) FROM metrics"));
}

TEST_F(PruningTest, TakesNoSessionForAnotherWhoseRowItGot) {
  Kept("z", 1, 500);
  Insert("a");
  Append({"a"}, {PlainRun(0, 0)});
  End({"a"}, 1);
  RetentionPolicy policy;
  policy.age = Nanoseconds(100);
  ASSERT_EQ(Prune(policy), "a");
  // SQLite reuses the key of the last deleted row.
  Insert("c");
  EXPECT_FALSE(records_->Append({"a"}, {PlainRun(1, 0)}, {}));
  EXPECT_TRUE(Runs({"c"}).empty());
  Append({"c"}, {PlainRun(2, 0)});
  EXPECT_EQ(Runs({"c"}), std::vector<benchd::Run>{PlainRun(2, 0)});
}

/// Many runs in few calls.
std::vector<benchd::Run> ManyRuns(std::uint64_t count) {
  std::vector<benchd::Run> runs;
  for (std::uint64_t block = 0; block < count; ++block) runs.push_back(PlainRun(block, 0));
  return runs;
}

TEST_F(PruningTest, DeletesALargeSessionInPiecesButForEverybodyAtOnce) {
  Insert("a");
  Append({"a"}, ManyRuns(7000));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(records_->Append({"a"}, {}, "x"));
  End({"a"}, 1);
  Kept("b", 1, 2);
  const auto database = Connect();
  Pruning pruning(*database);
  int calls = 0;
  for (;; ++calls) {
    ASSERT_LT(calls, 100);
    Result<std::vector<SessionId>> deleted = pruning.Prune(Bytes(0), kNow, Nanoseconds(0));
    ASSERT_TRUE(deleted) << deleted.error().message;
    if (deleted->empty()) break;
    EXPECT_THAT(*deleted, ElementsAre(SessionId{"a"}));
    EXPECT_EQ(Ids(), "b");
    EXPECT_FALSE(records_->Load({"a"}));
    EXPECT_FALSE(records_->LoadRuns({"a"}, 0, 1, kAll));
    if (calls == 1) Open();  // the rest survives a restart of benchd
  }
  // A call deletes 2000 runs or 8 pieces of a log: 4 calls, 3, and the row.
  EXPECT_EQ(calls, 4 + 3 + 1);
  for (const char* table : {"sessions", "events"}) {
    EXPECT_EQ(Number("SELECT count(*) FROM " + std::string(table) + " WHERE " +
                     (table == std::string("sessions") ? "key" : "session") + " = 1"),
              0);
  }
  EXPECT_EQ(Number("SELECT count(*) FROM runs"), 0);
  EXPECT_EQ(Number("SELECT count(*) FROM metrics"), 0);
  EXPECT_EQ(Number("SELECT count(*) FROM logs"), 1);
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

TEST_F(PruningTest, BlocksNobodyForLongAndGivesSpaceBackToTheFileSystem) {
  Insert("a");
  for (int part = 0; part < 10; ++part) Append({"a"}, ManyRuns(20000));
  End({"a"}, 1);
  Kept("b", 1, 2);
  records_->Checkpoint();
  const std::uintmax_t before = std::filesystem::file_size(database_);
  double longest = 0;
  int calls = 0;
  const auto prune = [&] {
    const double begun = ThreadSeconds();
    Result<std::vector<SessionId>> deleted = records_->Prune(Bytes(0), kNow);
    longest = std::max(longest, ThreadSeconds() - begun);
    ++calls;
    EXPECT_TRUE(deleted) << deleted.error().message;
    return deleted.value_or(std::vector<SessionId>{});
  };
  while (!prune().empty()) {
  }
  const int deleting = calls;
  for (int call = 0; call < 30; ++call) prune();
  records_->Checkpoint();
  const std::uintmax_t after = std::filesystem::file_size(database_);
  std::cout << "200,000 runs of " << before / 1'000'000 << " MB deleted in " << deleting
            << " calls, the longest of " << longest << " s; the file has " << after / 1'000'000
            << " MB now\n";
  // CPU time of the thread, with ten times the expected value, so that a busy machine does not
  // matter.
  EXPECT_LT(longest, 2);
  EXPECT_GT(before, 40'000'000U);
  // 8 MiB stay for future sessions.
  EXPECT_LT(after, 10'000'000U);
  Result<void> sound = Connect()->Check();
  EXPECT_TRUE(sound) << sound.error().message;
}

TEST_F(PruningTest, UsesTheSpaceOfDeletedSessionsAgain) {
  const auto fill_and_prune = [this](const std::string& id, std::int64_t end) {
    Insert(id);
    Append({id}, ManyRuns(5000));
    End({id}, end);
    Prune(Bytes(0));
    records_->Checkpoint();
    return std::filesystem::file_size(database_);
  };
  fill_and_prune("a", 1);
  const std::uintmax_t first = fill_and_prune("b", 2);
  std::uintmax_t last = 0;
  for (int round = 3; round < 10; ++round) last = fill_and_prune(std::to_string(round), round);
  EXPECT_LE(last, first + first / 2);
}

}  // namespace
}  // namespace benchd::store
