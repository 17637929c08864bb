#include <sys/wait.h>
#include <unistd.h>

#include "daemon/store/open_database.h"
#include "daemon/store/outcome_json.h"
#include "daemon/store/schema.h"
#include "tests/store/store_fixture.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/places.h"

namespace benchd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MigrationTest : public StoreTest {
 protected:
  void SetUp() override { MakeVersion2(); }

  /// A state folder as the benchd of schema version 2 left it.
  void MakeVersion2() {
    std::filesystem::remove_all(state_);
    std::filesystem::create_directories(state_ / "environments");
    Execute("PRAGMA synchronous = OFF;" + Contents(test::TestFile("store/data/version_2.sql")));
    std::ofstream(environment_)
        << R"({"arms":[[[["EMPTY",""],["TOKEN","secret"]],[]],[]],)"
        << R"("session":[["BYTES",{"hex":"618062c0af0063"}],["PATH","/bin:/usr/bin"]]})";
    std::ofstream(state_ / "environments" / "queued.json")
        << R"({"arms":[],"session":[["PATH","/bin"]]})";
  }
  /// What there was not yet: hooks were refused.
  static SessionRecord RecordOfVersion2() {
    SessionRecord record = RichRecord();
    for (Benchmark& benchmark : record.spec.benchmarks) {
      benchmark.hooks = {};
      benchmark.default_margin.reset();
      for (Arm& arm : benchmark.arms) arm.commit.reset();
    }
    record.snapshot.setup.reset();
    return record;
  }
  void ExpectEverythingThere() {
    EXPECT_EQ(Ids(), "0123abcdqueuedended");
    // The rich values are the same as in version 2, so that each field is seen to survive.
    EXPECT_EQ(*records_->Load({"0123abcd"}), RecordOfVersion2());
    EXPECT_EQ(Runs({"0123abcd"}), RichRuns());
    Result<SessionRecord> queued = records_->Load({"queued"});
    ASSERT_TRUE(queued) << queued.error().message;
    EXPECT_EQ(queued->spec.environment.at("PATH"), "/bin");
    EXPECT_EQ(queued->spec.priority, 3);
    EXPECT_EQ(Runs({"ended"}), (std::vector<benchd::Run>{PlainRun(0, 0), PlainRun(0, 1)}));
    EXPECT_EQ(records_->LoadLog({"ended"}, SIZE_MAX)->text, "one\n" + kBytes);
  }
};

TEST_F(MigrationTest, KeepsEverythingOfAnOlderDatabase) {
  Open();
  ExpectEverythingThere();
  EXPECT_THAT(All().warnings, ElementsAre(database_.string() +
                                          ": migrated from schema 2 to 3; as it was before, "
                                          "it is kept as " +
                                          database_.string() + ".v2.backup"));
  // Only the first start has something to tell.
  Open();
  ExpectEverythingThere();
  EXPECT_THAT(All().warnings, ElementsAre());
}

TEST_F(MigrationTest, TellsOfSessionsFromBeforeThereWasAHistoryWhatItCan) {
  Open();
  EXPECT_EQ(History({"queued"}),
            std::vector<HistoryEntry>{Happened("submitted by uid 1001", 1772366500000000000)});
  EXPECT_EQ(History({"ended"}),
            (std::vector<HistoryEntry>{Happened("submitted by uid 1002", 1772366300000000000),
                                       Happened("done", 1772366302000000000)}));
  EXPECT_EQ(All().mode, QueueMode{});
}

TEST_F(MigrationTest, KnowsWhatTheSessionsTakeAsIfTheyHadEndedNow) {
  Open();
  const std::int64_t migrated = Number("SELECT bytes FROM sessions WHERE id = 'ended'");
  // 2 runs of 9 samples of 16 bytes (sample_codec.h), 64 for each row, and the log.
  const std::int64_t measured = 2 * (9 * 16 + 64) + 4 + static_cast<std::int64_t>(kBytes.size());
  EXPECT_EQ(migrated, measured + Number("SELECT length(spec) + length(snapshot) FROM sessions"
                                        " WHERE id = 'ended'"));
  SessionSnapshot snapshot = records_->Load({"ended"})->snapshot;
  ASSERT_TRUE(records_->Update(snapshot, Happened("done")));
  EXPECT_EQ(Number("SELECT bytes FROM sessions WHERE id = 'ended'"),
            measured + Number("SELECT length(spec) + length(snapshot) FROM sessions"
                              " WHERE id = 'ended'"));
  EXPECT_EQ(Number("SELECT count(*) FROM sessions WHERE ended_at_ns IS NOT NULL"), 1);
}

TEST_F(MigrationTest, BacksTheDatabaseUpForThisUserAloneAndNeverOverABackup) {
  const std::filesystem::path backup = database_.string() + ".v2.backup";
  const std::filesystem::path second = database_.string() + ".v2.backup.2";
  std::ofstream(backup) << "an older one";
  Open();
  EXPECT_EQ(Contents(backup), "an older one");
  EXPECT_EQ(ModeOf(second), 0600);
  EXPECT_THAT(FilesNamed("benchd.db.v2"),
              ElementsAre("benchd.db.v2.backup", "benchd.db.v2.backup.2"));
  // Put back, it is the database that it was.
  records_.reset();
  std::filesystem::rename(second, database_);
  EXPECT_EQ(Number("PRAGMA user_version"), 2);
  EXPECT_EQ(Number("SELECT count(*) FROM runs"), 7);
  Open();
  ExpectEverythingThere();
}

TEST_F(MigrationTest, LeavesTheDatabaseAsItWasWhenItCannotBeBackedUp) {
  const std::string before = Contents(database_);
  std::filesystem::create_directories(database_.string() + ".v2.backup.tmp/taken");
  EXPECT_THAT(Refusal().message, HasSubstr("opening the store: backing up before the migration: " +
                                           database_.string() + ".v2.backup.tmp"));
  EXPECT_TRUE(Contents(database_) == before);
  std::filesystem::remove_all(database_.string() + ".v2.backup.tmp");
  Open();
  ExpectEverythingThere();
}

TEST_F(MigrationTest, LeavesTheDatabaseAsItWasWhenTheDiskIsFull) {
  const std::string before = Contents(database_);
  FaultVfs disk;
  disk.SetFull(true);
  EXPECT_EQ(Refusal().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(Contents(database_) == before);
  EXPECT_THAT(FilesNamed("benchd.db.v2"), ElementsAre());
  disk.SetFull(false);
  Open();
  ExpectEverythingThere();
  records_.reset();
}

TEST_F(MigrationTest, LeavesTheDatabaseAsItWasWhenATableIsInTheWay) {
  Execute("CREATE TABLE events (x)");
  const Error error = Refusal();
  EXPECT_THAT(error.message, HasSubstr("migrating to schema 3: "));
  EXPECT_EQ(Number("PRAGMA user_version"), 2);
  EXPECT_EQ(Number("SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'bytes'"), 0);
  Execute("DROP TABLE events");
  Open();
  ExpectEverythingThere();
  // Each attempt keeps its own.
  EXPECT_THAT(FilesNamed("benchd.db.v2"),
              ElementsAre("benchd.db.v2.backup", "benchd.db.v2.backup.2"));
}

/// Opens the store in a process of its own, which ends at its `operation`-th touch of the disk.
int OpenAndDie(const std::filesystem::path& state, int operation) {
  const pid_t child = ::fork();
  if (child == 0) {
    FaultVfs disk;
    disk.DieAt(operation);
    const bool opened = Records::Open(state, {}).has_value();
    ::_exit(opened ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  return WEXITSTATUS(status);
}

TEST_F(MigrationTest, SurvivesItsDeathAtEachTouchOfTheDisk) {
  int operation = 1;
  int deaths = 0;
  for (;; ++operation) {
    MakeVersion2();
    const int exit_code = OpenAndDie(state_, operation);
    ASSERT_TRUE(exit_code == 0 || exit_code == FaultVfs::kDied) << exit_code;
    if (exit_code == 0) break;
    ++deaths;
    SCOPED_TRACE("died at operation " + std::to_string(operation));
    Open();
    EXPECT_THAT(FilesNamed("benchd.db.damaged"), ElementsAre());
    EXPECT_THAT(FilesNamed("benchd.db.v2.backup.tmp"), ElementsAre());
    ExpectEverythingThere();
    records_.reset();
  }
  std::cout << deaths << " deaths\n";
  // A backup and a transaction are more than a handful of writes.
  EXPECT_GT(deaths, 20);
}

}  // namespace
}  // namespace benchd::store
