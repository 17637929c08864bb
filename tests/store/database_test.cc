#include "daemon/store/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "daemon/store/open_database.h"
#include "daemon/store/schema.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;

class DatabaseTest : public testing::Test {
 protected:
  std::unique_ptr<Database> Open() {
    Result<std::unique_ptr<Database>> database = Database::Open(file_);
    EXPECT_TRUE(database) << database.error().message;
    return database ? std::move(*database) : nullptr;
  }
  static std::int64_t Number(Database& database, std::string_view sql) {
    Result<std::int64_t> number = database.QueryInteger(sql);
    EXPECT_TRUE(number) << number.error().message;
    return number.value_or(-1);
  }
  static void Execute(Database& database, const std::string& sql) {
    Result<void> done = database.Execute(sql);
    EXPECT_TRUE(done) << done.error().message;
  }

  static Result<void> MakeSchema(Database& database) {
    Result<void> made = CreateSchema(database);
    return made ? UseWriteAheadLog(database) : made;
  }
  /// For EXPECT_WORDING.
  test::Replacements Place() const { return {{file_.string(), "FILE"}}; }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "test.db";
};

TEST_F(DatabaseTest, BindsAndReadsEveryKindOfValue) {
  const auto database = Open();
  Statement statement(*database, "SELECT ?, ?, ?, ?, ?, ?");
  const std::string with_nul("a\0b", 3);
  int rows = 0;
  const auto check = [&] {
    ++rows;
    EXPECT_EQ(statement.Integer(0), -7);
    EXPECT_EQ(statement.Real(1), 0.1);
    EXPECT_EQ(statement.Text(2), with_nul);
    EXPECT_EQ(statement.Text(3), "\xff");
    EXPECT_TRUE(statement.IsNull(4));
    EXPECT_FALSE(statement.IsNull(5));
    EXPECT_EQ(statement.Text(5), "");
  };
  Result<void> done = statement.Query(check, -7, 0.1, with_nul, Blob{"\xff"},
                                      std::optional<std::int64_t>{}, std::string_view{});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(rows, 1);
}

TEST_F(DatabaseTest, EndsAQueryAtTheErrorOfARowAndCanRunItAgain) {
  const auto database = Open();
  Statement statement(*database, "VALUES (1), (2), (3)");
  int rows = 0;
  const auto stop_at_two = [&]() -> Result<void> {
    if (++rows == 2) return Error{ErrorCode::kInternal, "enough", {}};
    return {};
  };
  Result<void> done = statement.Query(stop_at_two);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "enough");
  rows = 10;
  EXPECT_TRUE(statement.Query(stop_at_two));
  EXPECT_EQ(rows, 13);
}

TEST_F(DatabaseTest, SaysWhatIsWrongWithAStatement) {
  const auto database = Open();
  Result<void> done = Statement(*database, "SELECT 1 FROM nowhere").Run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kInternal);
  EXPECT_THAT(done.error().message, HasSubstr("nowhere"));
  EXPECT_WORDING(done.error(), Place());
}

TEST_F(DatabaseTest, UndoesATransactionThatWasNotCommitted) {
  const auto database = Open();
  Execute(*database, "CREATE TABLE t (x)");
  {
    Result<Transaction> transaction = Transaction::Begin(*database);
    ASSERT_TRUE(transaction) << transaction.error().message;
    Execute(*database, "INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(Number(*database, "SELECT count(*) FROM t"), 0);
  {
    Result<Transaction> transaction = Transaction::Begin(*database);
    ASSERT_TRUE(transaction) << transaction.error().message;
    Execute(*database, "INSERT INTO t VALUES (1)");
    EXPECT_TRUE(transaction->Commit());
  }
  EXPECT_EQ(Number(*database, "SELECT count(*) FROM t"), 1);
}

TEST_F(DatabaseTest, EnforcesForeignKeysAndNamesAnEqualKey) {
  const auto database = Open();
  Execute(*database, "CREATE TABLE a (x TEXT PRIMARY KEY); CREATE TABLE b (x REFERENCES a (x))");
  EXPECT_FALSE(database->Execute("INSERT INTO b VALUES ('none')"));
  Execute(*database, "INSERT INTO a VALUES ('one')");
  Result<void> again = database->Execute("INSERT INTO a VALUES ('one')");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
}

/// max_page_count makes SQLite meet SQLITE_FULL, as a full file system does.
TEST_F(DatabaseTest, ReportsAFullDiskAndRollsBack) {
  const auto database = Open();
  ASSERT_TRUE(MakeSchema(*database));
  Execute(*database, "CREATE TABLE t (x BLOB)");
  const std::int64_t pages = Number(*database, "PRAGMA page_count");
  Execute(*database, "PRAGMA max_page_count = " + std::to_string(pages + 2));
  {
    Result<Transaction> transaction = Transaction::Begin(*database);
    ASSERT_TRUE(transaction) << transaction.error().message;
    Execute(*database, "INSERT INTO t VALUES (1)");
    Result<void> full = database->Execute("INSERT INTO t VALUES (zeroblob(100000))");
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::kResourceExhausted);
    EXPECT_WORDING(full.error(), Place());
  }
  EXPECT_EQ(Number(*database, "SELECT count(*) FROM t"), 0);
  EXPECT_TRUE(database->Execute("INSERT INTO t VALUES (1)"));
}

TEST_F(DatabaseTest, ReportsALockOfAnotherConnection) {
  const auto database = Open();
  const auto other = Open();
  Execute(*database, "PRAGMA busy_timeout = 1");
  Result<Transaction> held = Transaction::Begin(*other);
  ASSERT_TRUE(held) << held.error().message;
  Result<Transaction> refused = Transaction::Begin(*database);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(refused.error(), Place());
}

TEST_F(DatabaseTest, IsInWriteAheadModeWithOurVersionOnceTheSchemaIsMade) {
  const auto database = Open();
  Result<void> made = MakeSchema(*database);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(Number(*database, "PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(*database->QueryText("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(Number(*database, "PRAGMA foreign_keys"), 1);
  EXPECT_EQ(Number(*database, "PRAGMA auto_vacuum"), 2);  // INCREMENTAL (sqlite.org/pragma.html)
}

TEST_F(DatabaseTest, SyncsACommitOnlyWhereItIsToSurviveALossOfPower) {
  const auto database = Open();
  // NORMAL and FULL (sqlite.org/pragma.html)
  const std::pair<Durability, int> levels[] = {
      {Durability::kProcessDeath, 1}, {Durability::kPowerLoss, 2}, {Durability::kProcessDeath, 1}};
  for (const auto& [durability, level] : levels) {
    Result<Transaction> transaction = Transaction::Begin(*database, durability);
    ASSERT_TRUE(transaction) << transaction.error().message;
    EXPECT_EQ(Number(*database, "PRAGMA synchronous"), level);
  }
}

TEST_F(DatabaseTest, MovesTheLogIntoTheFileWhenAsked) {
  const auto database = Open();
  ASSERT_TRUE(MakeSchema(*database));
  Execute(*database, "CREATE TABLE t (x BLOB); INSERT INTO t VALUES (zeroblob(100000))");
  EXPECT_LT(std::filesystem::file_size(file_), 100000U);
  EXPECT_TRUE(database->Checkpoint());
  EXPECT_GT(std::filesystem::file_size(file_), 100000U);
}

TEST_F(DatabaseTest, DeletesAllOfASessionWithItsRow) {
  const auto database = Open();
  ASSERT_TRUE(MakeSchema(*database));
  Execute(*database, R"sql(
    INSERT INTO sessions VALUES (1, 'a', '', 0, 'done', 0, 0, '', '', 0, 0, 0, 0);
    INSERT INTO labels VALUES ('k', 'v', 1, 0);
    INSERT INTO events VALUES (1, 0, 0, 'submitted');
    INSERT INTO metric_lists VALUES (1, 1, '[]');
    INSERT INTO metrics VALUES (1, 0, 'wall_time', '');
    INSERT INTO runs VALUES (1, 0, 0, 'measured', 0, 0, 0, 0, 0, 0, 0, 0, 1, x'');
    INSERT INTO logs VALUES (1, 1, x'00');
    DELETE FROM sessions)sql");
  for (const char* table :
       {"sessions", "labels", "metric_lists", "metrics", "runs", "logs", "events"}) {
    EXPECT_EQ(Number(*database, std::string("SELECT count(*) FROM ") + table), 0) << table;
  }
}

TEST_F(DatabaseTest, KnowsAnEmptyFileItsTablesAndThoseOfAnotherVersion) {
  const auto database = Open();
  EXPECT_FALSE(*HasSchema(*database));
  ASSERT_TRUE(MakeSchema(*database));
  EXPECT_TRUE(*HasSchema(*database));
  for (const char* version : {"0", "3", "7"}) {
    Execute(*database, std::string("PRAGMA user_version = ") + version);
    Result<bool> other = HasSchema(*database);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_WORDING(other.error(), Place());
  }
}

}  // namespace
}  // namespace benchd::store
