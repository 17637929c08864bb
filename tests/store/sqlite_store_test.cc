#include "daemon/store/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "daemon/store/database.h"
#include "daemon/store/session_table.h"
#include "tests/store/rich_values.h"
#include "tests/store/temp_folder.h"
#include "tests/support/loop.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

class SqliteStoreTest : public testing::Test {
 protected:
  void SetUp() override { Reopen(); }

  void Reopen() {
    store_.reset();
    Result<std::unique_ptr<Store>> store = OpenStore(folder_.path());
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
  }
  template <typename T>
  T Await(asio::awaitable<T> coroutine) {
    return RunToEnd(loop_, std::move(coroutine));
  }
  SessionId Insert(const std::string& id, std::int64_t submitted_at_ns = 0) {
    Result<void> inserted = Await(store_->Insert(PlainRecord(id, submitted_at_ns)));
    EXPECT_TRUE(inserted) << inserted.error().message;
    return SessionId{id};
  }
  std::vector<benchd::Run> Runs(const SessionId& id, std::uint64_t first = 0,
                                std::uint64_t limit = kAll) {
    Result<std::vector<benchd::Run>> runs = Await(store_->LoadRuns(id, first, limit));
    EXPECT_TRUE(runs) << runs.error().message;
    return runs.value_or(std::vector<benchd::Run>{});
  }
  /// A second connection, as an administrator's shell would be.
  void Execute(const std::string& sql) {
    Result<std::unique_ptr<Database>> other = Database::Open(folder_.path() / "benchd.db");
    ASSERT_TRUE(other) << other.error().message;
    Result<void> done = (*other)->Execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  TempFolder folder_;
  asio::io_context loop_;
  std::unique_ptr<Store> store_;
};

TEST_F(SqliteStoreTest, GivesBackARecordAlsoAfterReopening) {
  Result<void> inserted = Await(store_->Insert(RichRecord()));
  ASSERT_TRUE(inserted) << inserted.error().message;
  for (int opening = 0; opening < 2; ++opening) {
    Result<SessionRecord> record = Await(store_->Load(RichRecord().snapshot.id));
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(*record, RichRecord());
    Reopen();
  }
}

TEST_F(SqliteStoreTest, KeepsTheNewestSnapshot) {
  const SessionId id = Insert("a");
  SessionSnapshot snapshot = RichSnapshot();
  snapshot.id = id;
  Result<void> updated = Await(store_->Update(snapshot));
  ASSERT_TRUE(updated) << updated.error().message;
  Reopen();
  EXPECT_EQ(Await(store_->Load(id))->snapshot, snapshot);
}

TEST_F(SqliteStoreTest, KnowsNoSessionThatWasNeverInserted) {
  const SessionId id{"nobody"};
  const auto not_found = [](const auto& result) {
    return !result && result.error().code == ErrorCode::kNotFound &&
           result.error().message == "session nobody: not in the store";
  };
  EXPECT_TRUE(not_found(Await(store_->Load(id))));
  EXPECT_TRUE(not_found(Await(store_->Update(PlainRecord("nobody").snapshot))));
  EXPECT_TRUE(not_found(Await(store_->AppendBlock(id, {PlainRun(0, 0)}))));
  EXPECT_TRUE(not_found(Await(store_->LoadRuns(id, 0, 1))));
  EXPECT_TRUE(not_found(Await(store_->AppendLog(id, "text"))));
  EXPECT_TRUE(not_found(Await(store_->LoadLog(id))));
}

TEST_F(SqliteStoreTest, RefusesASecondSessionWithTheSameId) {
  ASSERT_TRUE(Await(store_->Insert(RichRecord())));
  SessionRecord second = RichRecord();
  second.spec.environment["PATH"] = "/other";
  Result<void> refused = Await(store_->Insert(second));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(refused.error().message, "session 0123abcd: exists already");
  EXPECT_EQ(*Await(store_->Load(second.snapshot.id)), RichRecord());
}

TEST_F(SqliteStoreTest, LoadsAllOldestSubmissionFirst) {
  Insert("c", 30);
  Insert("z", 10);
  Insert("a", 10);
  Insert("b", 20);
  Reopen();
  Result<std::vector<SessionRecord>> records = Await(store_->LoadAll());
  ASSERT_TRUE(records) << records.error().message;
  std::string order;
  for (const SessionRecord& record : *records) order += record.snapshot.id.value;
  EXPECT_EQ(order, "zabc");
}

/// Straight into the table, in one transaction: inserting is not what the test is about.
Result<void> FillWithSessions(Database& database, int count) {
  Result<SessionTable> table = SessionTable::Open(database);
  if (!table) return std::move(table).error();
  Result<Transaction> transaction = Transaction::Begin(database);
  if (!transaction) return std::move(transaction).error();
  for (int i = 0; i < count; ++i) {
    SessionRecord record = i % 100 == 0 ? RichRecord() : PlainRecord({});
    record.snapshot.id.value = std::to_string(i);
    record.snapshot.submitted_at = Timestamp(Nanoseconds(i));
    if (Result<void> inserted = table->Insert(record); !inserted) return inserted;
  }
  return transaction->Commit();
}

TEST_F(SqliteStoreTest, LoadsTenThousandSessions) {
  {
    Result<std::unique_ptr<Database>> other = Database::Open(folder_.path() / "benchd.db");
    ASSERT_TRUE(other) << other.error().message;
    Result<void> filled = FillWithSessions(**other, 10000);
    ASSERT_TRUE(filled) << filled.error().message;
  }
  Result<std::vector<SessionRecord>> records = Await(store_->LoadAll());
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_EQ(records->size(), 10000U);
  EXPECT_EQ((*records)[9900].spec, RichSpec());
  EXPECT_EQ((*records)[9900].snapshot.report, RichSnapshot().report);
  EXPECT_EQ((*records)[9999].snapshot.id.value, "9999");
}

TEST_F(SqliteStoreTest, GivesBackRunsEqualToThoseAppended) {
  const SessionId id = Insert("a");
  Result<void> appended = Await(store_->AppendBlock(id, RichRuns()));
  ASSERT_TRUE(appended) << appended.error().message;
  for (int opening = 0; opening < 2; ++opening) {
    const std::vector<benchd::Run> runs = Runs(id);
    EXPECT_EQ(runs, RichRuns());
    ASSERT_FALSE(runs.empty());
    EXPECT_TRUE(std::signbit(runs[0].samples[0].value));
    Reopen();
  }
}

TEST_F(SqliteStoreTest, GoesOnCountingAfterReopening) {
  const SessionId id = Insert("a");
  std::vector<benchd::Run> all;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(Await(store_->AppendBlock(id, RichRuns())));
    for (const benchd::Run& run : RichRuns()) all.push_back(run);
    Reopen();
  }
  EXPECT_EQ(Runs(id), all);
}

TEST_F(SqliteStoreTest, KeepsTheRunsOfSessionsApart) {
  const SessionId a = Insert("a");
  const SessionId b = Insert("b");
  for (std::uint64_t block = 0; block < 3; ++block) {
    ASSERT_TRUE(Await(store_->AppendBlock(a, {PlainRun(block, 0)})));
    ASSERT_TRUE(Await(store_->AppendBlock(b, RichRuns())));
  }
  EXPECT_EQ(Runs(a), (std::vector<benchd::Run>{PlainRun(0, 0), PlainRun(1, 0), PlainRun(2, 0)}));
  EXPECT_EQ(Runs(b).size(), 3 * RichRuns().size());
}

TEST_F(SqliteStoreTest, LoadsRunsPageByPage) {
  const SessionId id = Insert("a");
  std::vector<benchd::Run> all;
  for (std::uint64_t block = 0; block < 25; ++block) {
    all.push_back(PlainRun(block, 0));
    all.push_back(PlainRun(block, 1));
    ASSERT_TRUE(Await(store_->AppendBlock(id, {all.end()[-2], all.end()[-1]})));
  }
  std::vector<benchd::Run> read;
  for (;;) {
    const std::vector<benchd::Run> page = Runs(id, read.size(), 7);
    if (page.empty()) break;
    EXPECT_LE(page.size(), 7U);
    read.insert(read.end(), page.begin(), page.end());
  }
  EXPECT_EQ(read, all);
  EXPECT_TRUE(Runs(id, 0, 0).empty());
  EXPECT_TRUE(Runs(id, kAll, kAll).empty());
  EXPECT_EQ(Runs(id, 49, kAll), std::vector<benchd::Run>{all.back()});
}

TEST_F(SqliteStoreTest, LeavesNothingOfABlockWhoseSecondRunFails) {
  const SessionId id = Insert("a");
  ASSERT_TRUE(Await(store_->AppendBlock(id, {PlainRun(0, 0)})));
  Execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON runs WHEN NEW.position = 1"
      " BEGIN SELECT RAISE(ABORT, 'no second run'); END");
  // The first run brings a metric and a list that nobody had before.
  benchd::Run fresh = RichRuns()[0];
  fresh.position = 0;
  Result<void> refused = Await(store_->AppendBlock(id, {fresh, PlainRun(1, 1)}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no second run"));
  EXPECT_EQ(Runs(id), std::vector<benchd::Run>{PlainRun(0, 0)});
  // Nor is anything of it remembered: the same block goes in whole.
  Execute("DROP TRIGGER refuse");
  ASSERT_TRUE(Await(store_->AppendBlock(id, {fresh, PlainRun(1, 1)})));
  EXPECT_EQ(Runs(id), (std::vector<benchd::Run>{PlainRun(0, 0), fresh, PlainRun(1, 1)}));
}

TEST_F(SqliteStoreTest, RefusesABlockWithAValueThatIsNoNumber) {
  const SessionId id = Insert("a");
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    benchd::Run bad = PlainRun(0, 1);
    bad.samples.back().value = value;
    Result<void> refused = Await(store_->AppendBlock(id, {PlainRun(0, 0), bad}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "metric " + bad.samples.back().metric + ": a value is not a finite number");
    EXPECT_TRUE(Runs(id).empty());
  }
}

TEST_F(SqliteStoreTest, AppendsBlocksInTheOrderInWhichTheyWereAwaited) {
  const SessionId id = Insert("a");
  std::vector<benchd::Run> expected;
  std::vector<std::optional<Result<void>>> answers(200);
  for (std::uint64_t block = 0; block < answers.size(); ++block) {
    std::vector<benchd::Run> runs{PlainRun(block, 0), PlainRun(block, 1)};
    expected.insert(expected.end(), runs.begin(), runs.end());
    asio::co_spawn(loop_, KeepResult(store_->AppendBlock(id, std::move(runs)), &answers[block]),
                   Rethrow);
  }
  loop_.restart();
  loop_.run();
  for (const auto& answer : answers) ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(Runs(id), expected);
}

TEST_F(SqliteStoreTest, FinishesWhatWasAwaitedBeforeItCloses) {
  const SessionId id = Insert("a");
  std::vector<std::optional<Result<void>>> answers(50);
  for (std::uint64_t block = 0; block < answers.size(); ++block) {
    asio::co_spawn(
        loop_, KeepResult(store_->AppendBlock(id, {PlainRun(block, 0)}), &answers[block]), Rethrow);
  }
  loop_.restart();
  while (loop_.poll_one() > 0 && !answers[0]) {
  }
  Reopen();
  EXPECT_EQ(Runs(id).size(), answers.size());
}

TEST_F(SqliteStoreTest, KeepsALogInOrderWithEveryByte) {
  const SessionId id = Insert("a");
  EXPECT_EQ(*Await(store_->LoadLog(id)), "");
  ASSERT_TRUE(Await(store_->AppendLog(id, "one\n")));
  ASSERT_TRUE(Await(store_->AppendLog(Insert("b"), "another's\n")));
  ASSERT_TRUE(Await(store_->AppendLog(id, kBytes)));
  Reopen();
  EXPECT_EQ(*Await(store_->LoadLog(id)), "one\n" + kBytes);
}

}  // namespace
}  // namespace benchd::store
