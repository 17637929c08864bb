// A store that an older release left becomes one of this schema, or stays what it was.

#include <sys/wait.h>
#include <unistd.h>

#include "daemon/store/schema.h"
#include "tests/store/store_fixture.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/places.h"

namespace benchd::store {
namespace {

using testing::ElementsAre;

class MigrationTest : public StoreTest {
 protected:
  /// Restores a store of benchd 0.3.0 with that many copies of its sessions.
  void Restore(int copies = 0) {
    records_.reset();
    std::filesystem::remove_all(state_);
    std::filesystem::create_directories(state_);
    Execute(Contents(test::TestFile("golden/store_schema_5.sql")));
    Execute("PRAGMA journal_mode = WAL");
    for (int copy = 1; copy <= copies; ++copy) {
      Execute(
          "INSERT INTO sessions (id, request_id, uid, state, submitted_at_ns, ended_at_ns, spec,"
          " snapshot, bytes) SELECT id || '-" +
          std::to_string(copy) +
          "', '', uid, state, submitted_at_ns, ended_at_ns, spec, snapshot, bytes FROM sessions"
          " WHERE key < 4");
    }
    ASSERT_EQ(Number("PRAGMA user_version"), 5);
  }
  std::int64_t Columns() { return Number("SELECT count(*) FROM pragma_table_info('sessions')"); }
  /// The columns of all tables and indices.
  std::string Shape() {
    const auto database = Connect();
    Statement select(*database,
                     "SELECT t.name, c.cid, c.name, c.type, c.\"notnull\", c.dflt_value"
                     " FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c"
                     " WHERE t.name NOT LIKE 'sqlite_stat%' ORDER BY t.name, c.cid");
    std::string shape;
    Result<void> read = select.Query([&] {
      for (int column = 0; column < 6; ++column) shape += select.Text(column) + " ";
      shape += "\n";
    });
    EXPECT_TRUE(read) << read.error().message;
    return shape;
  }
  void ExpectAllIsThere() {
    EXPECT_EQ(Ids(), "h0sagvys7nemr9t21kcmj950dgxm75195sk1gy07dd0br8s21y1594pe");
    EXPECT_EQ(Number("PRAGMA user_version"), kSchemaVersion);
    EXPECT_EQ(Connect()->QueryText("PRAGMA integrity_check").value(), "ok");
    const Records::AtStart start = AtStart();
    EXPECT_THAT(start.warnings, testing::IsEmpty());
    ASSERT_EQ(start.unfinished.size(), 3U);
    EXPECT_EQ(start.unfinished[0].record.snapshot.id.value, "dgxm7519");
    EXPECT_EQ(start.unfinished[0].record.snapshot.state, SessionState::kRunning);
    EXPECT_EQ(start.unfinished[1].record.spec.priority, 0);
    EXPECT_EQ(start.unfinished[2].record.spec.priority, -3);
    EXPECT_THAT(start.turns, ElementsAre(0));
    const auto at = [](std::int64_t ns) { return Timestamp(Nanoseconds(ns)); };
    EXPECT_THAT(start.times,
                ElementsAre(MachineTime{0, at(1795795239738418478), Nanoseconds(220566881)},
                            MachineTime{0, at(1795795240122881614), Nanoseconds(67398774)}));
    EXPECT_EQ(start.submissions.size(), 7U);
    std::string ended;
    for (const SessionView& view : ListEnded()) ended += view.id.value + " ";
    EXPECT_EQ(ended, "dd0br8s2 1kcmj950 7nemr9t2 h0sagvys ");
    const SessionFilter both{.labels = {{"branch", "main"}, {"ticket", "7"}}};
    ASSERT_EQ(ListEnded(both).size(), 1U);
    EXPECT_EQ(ListEnded(both)[0].id.value, "h0sagvys");
    EXPECT_EQ(Number("SELECT count(*) FROM labels"), 4) << "also of those that have not ended";
    const SessionRecord done = records_->Load({"h0sagvys"}).value();
    EXPECT_EQ(done.spec.labels, both.labels);
    EXPECT_EQ(done.snapshot.report->verdict, Verdict::kUndecided);
    EXPECT_EQ(records_->OfRequest(0, done.request_id).value(), done.snapshot.id);
    EXPECT_EQ(Runs({"h0sagvys"}).size(), 6U);
    EXPECT_EQ(Runs({"dgxm7519"}).size(), 4U);
    EXPECT_EQ(History({"1y1594pe"}).size(), 2U);
    EXPECT_EQ(records_->ListSummaries({.limit = 9})->size(), 1U);
  }
};

TEST_F(MigrationTest, MakesTheStoreOfTheOldReleaseOneOfThisSchema) {
  Open();
  const std::string shape = Shape();
  Restore();
  EXPECT_EQ(Columns(), 10);
  Open();
  ExpectAllIsThere();
  EXPECT_EQ(Shape(), shape);
  Open();
  ExpectAllIsThere();
}

TEST_F(MigrationTest, CountsWhatASessionMayHaveHadWhereItWasNotRecorded) {
  Restore();
  Execute("UPDATE sessions SET snapshot = json_remove(snapshot, '$.held')");
  Execute("UPDATE sessions SET spec = json_set(spec, '$.limits.max_time', 5) WHERE key = 3");
  Open();
  const std::vector<MachineTime> times = AtStart().times;
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].held, Nanoseconds(1795795239738418478 - 1795795239517854181));
  EXPECT_EQ(times[1].held, Nanoseconds(5)) << "benchd was away for the rest";
}

TEST_F(MigrationTest, TakesRowsThatCannotBeReadAsTheyAre) {
  Restore();
  Execute(
      "UPDATE sessions SET spec = '{' WHERE key = 1;"
      "UPDATE sessions SET snapshot = '[1]', spec = '{\"labels\": 5, \"priority\": \"x\"}'"
      " WHERE key = 2;"
      "UPDATE sessions SET spec = '{\"labels\": [\"a\", [\"b\"], [3, 4], [\"c\", {}]]}'"
      " WHERE key = 3;"
      "UPDATE sessions SET id = '-' || id, state = 'deleted', ended_at_ns = NULL, spec = '',"
      " snapshot = '' WHERE key = 6");
  Open();
  EXPECT_EQ(Number("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(Number("SELECT count(*) FROM labels WHERE session < 4"), 0);
  EXPECT_EQ(ListEnded().size(), 3U);
  EXPECT_EQ(AtStart().unfinished.size(), 3U);
  EXPECT_EQ(AtStart().submissions.size(), 6U);
}

TEST_F(MigrationTest, LeavesTheOldSchemaAndOneErrorOnAFullDisk) {
  FaultVfs disk;
  Restore(3);
  disk.SetFull(true);
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(error, Places());
  disk.SetFull(false);
  EXPECT_EQ(Number("PRAGMA user_version"), 5);
  EXPECT_EQ(Columns(), 10);
  EXPECT_THAT(FilesNamed("benchd.db.damaged-"), testing::IsEmpty());
  Open();
  EXPECT_EQ(Number("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(Number("SELECT count(*) FROM sessions"), 16);
  records_.reset();
}

/// The fixture has no VFS of its own, because the child has one.
TEST_F(MigrationTest, IsDoneOrNotDoneAfterADeathAtEachTouchOfTheDisk) {
  Restore();
  const std::filesystem::path left = folder_ / "left";
  std::filesystem::copy(state_, left, std::filesystem::copy_options::recursive);
  int before = 0;
  int after = 0;
  for (int operation = 1;; ++operation) {
    SCOPED_TRACE("died at operation " + std::to_string(operation));
    records_.reset();
    std::filesystem::remove_all(state_);
    std::filesystem::copy(left, state_, std::filesystem::copy_options::recursive);
    const pid_t child = ::fork();
    if (child == 0) {
      FaultVfs disk;
      disk.DieAt(operation);
      std::optional<Result<Records>> records(Records::Open(state_, Options()));
      const bool opened = records->has_value();
      records.reset();
      ::_exit(opened ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == 0) break;
    ASSERT_EQ(WEXITSTATUS(status), FaultVfs::kDied);
    const bool done = Number("PRAGMA user_version") == kSchemaVersion;
    EXPECT_EQ(Columns(), done ? 13 : 10);
    EXPECT_EQ(Number("SELECT count(*) FROM sqlite_schema WHERE name = 'labels'"), done ? 1 : 0);
    (done ? after : before) += 1;
    Open();
    ExpectAllIsThere();
  }
  std::cout << before << " deaths before and " << after << " after it was done\n";
  EXPECT_GT(before, 20);
  EXPECT_GT(after, 0);
}

}  // namespace
}  // namespace benchd::store
