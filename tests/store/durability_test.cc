#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>

#include "tests/store/store_fixture.h"
#include "tests/support/fault_vfs.h"

namespace benchd::store {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

/// When changes are put onto the disk.
class DurabilityTest : public StoreTest {
 protected:
  void SetUp() override { Open(); }
  void TearDown() override { records_.reset(); }

  /// The number of files synced during `call`.
  template <typename Call>
  int Syncs(Call call) {
    const int before = syncs_;
    const auto done = call();
    EXPECT_TRUE(done) << done.error().message;
    return syncs_ - before;
  }
  Result<void> AppendOne(const SessionId& id, std::uint64_t block) {
    return records_->Append(id, {PlainRun(block, 0)}, {});
  }

  FaultVfs disk_;
};

TEST_F(DurabilityTest, NoChangeWaitsForTheDisk) {
  const SessionId id{"a"};
  EXPECT_EQ(Syncs([&] { return records_->Insert(PlainRecord("a"), Happened("submitted")); }), 0);
  EXPECT_EQ(Syncs([&] { return records_->SetPriority(id, 1, Happened("moved")); }), 0);
  EXPECT_EQ(Syncs([&] { return records_->KeepMode({.paused = true}); }), 0);
  EXPECT_EQ(Syncs([&] { return records_->Update(Ended(id, 1), Happened("done")); }), 0);
  EXPECT_EQ(Syncs([&] { return records_->sync().Run(); }), 1);
  // SQLite itself syncs the header of a log that begins anew.
  EXPECT_LE(disk_.log_syncs(), 1);
}

TEST_F(DurabilityTest, PutsTheEnvironmentOntoTheDiskWithItsSession) {
  Insert(RichRecord());
  EXPECT_EQ(Syncs([&] { return records_->sync().Run(); }), 2);
  EXPECT_EQ(Syncs([&] { return records_->sync().Run(); }), 1);
}

TEST_F(DurabilityTest, RequestsASyncOnceASecondAndNotMoreOften) {
  const SessionId id = Insert("a");
  steady_ns_ = 10 * kSecond;
  EXPECT_EQ(Syncs([&] { return AppendOne(id, 0); }), 1);
  EXPECT_EQ(Syncs([&] { return AppendOne(id, 1); }), 0);
  steady_ns_ = 11 * kSecond - 1;
  EXPECT_EQ(Syncs([&] { return AppendOne(id, 2); }), 0);
  steady_ns_ = 11 * kSecond;
  EXPECT_EQ(Syncs([&] { return AppendOne(id, 3); }), 1);
  EXPECT_EQ(Syncs([&] { return AppendOne(id, 4); }), 0);
  steady_ns_ = 12 * kSecond;
  EXPECT_EQ(Syncs([&] { return records_->Append(id, {}, "x"); }), 1);
  steady_ns_ = 13 * kSecond;
  EXPECT_EQ(Syncs([&] { return records_->DropBlock(id, RunPhase::kMeasured, 0, 1); }), 1);
}

TEST_F(DurabilityTest, CountsTheSecondFromACheckpoint) {
  const SessionId id = Insert("a");
  steady_ns_ = 11 * kSecond;
  EXPECT_TRUE(records_->Checkpoint());
  steady_ns_ = 12 * kSecond - 1;
  EXPECT_EQ(Syncs([&] { return AppendOne(id, 1); }), 0);
  steady_ns_ = 12 * kSecond;
  EXPECT_EQ(Syncs([&] { return AppendOne(id, 2); }), 1);
}

TEST_F(DurabilityTest, RunsAreRefusedOnceAfterASyncThatFailed) {
  const SessionId id = Insert("a");
  steady_ns_ = 10 * kSecond;
  sync_error_ = EIO;
  EXPECT_TRUE(AppendOne(id, 0));
  sync_error_ = 0;
  const Result<void> refused = AppendOne(id, 1);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("benchd.db-wal"), HasSubstr("Input/output")));
  EXPECT_TRUE(AppendOne(id, 1));
  EXPECT_EQ(Runs(id).size(), 2U);
}

TEST_F(DurabilityTest, ADiskThatIsFullWhenItIsSyncedIsReportedAsFull) {
  sync_error_ = ENOSPC;
  const Result<void> synced = records_->sync().Run();
  ASSERT_FALSE(synced);
  EXPECT_EQ(synced.error().code, ErrorCode::kResourceExhausted);
}

/// Returns kResourceExhausted for the database, with a hint. Also for a child, which has no
/// EXPECT_WORDING.
template <typename T>
void ExpectFull(const Result<T>& answer) {
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(answer.error().message, HasSubstr("benchd.db: "));
  EXPECT_THAT(answer.error().hint, HasSubstr("benchd.db"));
}

/// Each block has its own metric, so that a key that outlives its transaction is detected.
class FullDiskTest : public DurabilityTest {
 protected:
  static benchd::Run Block(std::uint64_t block) {
    benchd::Run run = PlainRun(block, 0);
    run.samples.push_back({.metric = "metric-" + std::to_string(block), .value = 1});
    run.metrics = {{.name = run.samples.back().metric, .unit = std::string(2000, 'u')}};
    return run;
  }
  /// @return the number of accepted blocks.
  std::uint64_t AppendUntilFull(const SessionId& id, std::uint64_t most = 10000) {
    for (std::uint64_t block = 0; block < most; ++block) {
      Result<void> appended = records_->Append(id, {Block(block)}, {});
      if (appended) continue;
      ExpectFull(appended);
      return block;
    }
    ADD_FAILURE() << "the disk was never full";
    return most;
  }
  void ExpectBlocks(const SessionId& id, std::uint64_t count) {
    const std::vector<benchd::Run> runs = Runs(id);
    ASSERT_EQ(runs.size(), count);
    for (std::uint64_t block = 0; block < count; ++block) EXPECT_EQ(runs[block], Block(block));
  }
};

TEST_F(FullDiskTest, StoresNothingOfARefusedCallAndAcceptsItWhenThereIsSpace) {
  const SessionId id = Insert(RichRecord());
  const SessionId other = Insert("other");
  constexpr std::uint64_t kBlocks = 5;
  for (std::uint64_t block = 0; block < kBlocks; ++block) Append(id, {Block(block)});
  disk_.SetFull(true);
  // The block is refused as a whole.
  SessionSnapshot ended = RichSnapshot();
  ended.state = SessionState::kDone;
  SessionRecord third = RichRecord();
  third.snapshot.id.value = "third";
  for (int attempt = 0; attempt < 3; ++attempt) {
    ExpectFull(records_->Append(id, {Block(kBlocks)}, {}));
    ExpectFull(records_->Insert(third, Happened("submitted")));
    ExpectFull(records_->Update(ended, Happened("done")));
    ExpectFull(records_->SetPriority(other, 9, Happened("moved")));
    ExpectFull(records_->KeepMode({.paused = true}));
    ExpectFull(records_->DropBlock(id, RunPhase::kMeasured, 0, 0));
    ExpectFull(records_->Append(id, {}, std::string(100000, 'x')));
  }
  EXPECT_WORDING(records_->Append(id, {Block(kBlocks)}, {}).error(), Places());
  EXPECT_WORDING(records_->Insert(third, Happened("submitted")).error(), Places());
  EXPECT_EQ(ModeOf(environment_), 0600);
  EXPECT_EQ(ModeOf(state_ / "environments" / "third.json"), -1);
  EXPECT_EQ(*records_->Load(id), RichRecord());
  EXPECT_EQ(records_->Load(other)->spec.priority, 0);
  EXPECT_EQ(AtStart().mode, QueueMode{});
  EXPECT_EQ(records_->LoadLog(id, SIZE_MAX)->text, "");
  EXPECT_EQ(History(id).size(), 1U);
  ExpectBlocks(id, kBlocks);

  disk_.SetFull(false);
  EXPECT_TRUE(records_->Append(id, {Block(kBlocks)}, {}));
  EXPECT_TRUE(records_->Insert(third, Happened("submitted")));
  EXPECT_TRUE(records_->Update(ended, Happened("done")));
  EXPECT_TRUE(records_->SetPriority(other, 9, Happened("moved")));
  EXPECT_TRUE(records_->KeepMode({.paused = true}));
  EXPECT_TRUE(records_->Append(id, {}, "log"));
  Open();
  ExpectBlocks(id, kBlocks + 1);
  EXPECT_EQ(*records_->Load(third.snapshot.id), third);
  EXPECT_EQ(records_->Load(id)->snapshot, ended);
  EXPECT_EQ(records_->Load(other)->spec.priority, 9);
  EXPECT_TRUE(AtStart().mode.paused);
  EXPECT_EQ(History(id).size(), 2U);
}

TEST_F(FullDiskTest, LosesNothingWhenTheLogCannotBeMovedIntoTheFile) {
  const SessionId id = Insert("a");
  for (std::uint64_t block = 0; block < 200; ++block) Append(id, {Block(block)});
  const std::uintmax_t before = std::filesystem::file_size(database_);
  disk_.SetFull(true);
  records_->Checkpoint();
  EXPECT_EQ(std::filesystem::file_size(database_), before);
  ExpectBlocks(id, 200);
  // The end of benchd loses nothing, either: the log stays and is read at the next start.
  records_.reset();
  EXPECT_GT(std::filesystem::file_size(log_), 0U);
  disk_.SetFull(false);
  Open();
  EXPECT_TRUE(AtStart().warnings.empty());
  ExpectBlocks(id, 200);
  records_->Checkpoint();
  EXPECT_GT(std::filesystem::file_size(database_), before);
  ExpectBlocks(id, 200);
}

/// Mounts a disk of 2 MiB that only this process sees.
bool MountSmallDisk(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("small", folder.c_str(), "tmpfs", 0, "size=2m,mode=0700") == 0;
}

TEST_F(FullDiskTest, BehavesAlikeOnAFullFileSystem) {
  records_.reset();
  constexpr int kNotPermitted = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!MountSmallDisk(state_)) ::_exit(kNotPermitted);
    Open();
    const SessionId id = Insert(RichRecord());
    const std::filesystem::path ballast = state_ / "ballast";
    std::ofstream(ballast) << std::string(1 << 20, 'b');
    const std::uint64_t blocks = AppendUntilFull(id);
    ExpectBlocks(id, blocks);
    records_->Checkpoint();
    SessionRecord third = RichRecord();
    third.snapshot.id.value = "third";
    const auto refused = records_->Insert(third, Happened("submitted"));
    EXPECT_FALSE(refused);
    if (!refused) {
      EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
    }
    EXPECT_EQ(Ids(), "0123abcd");
    ExpectBlocks(id, blocks);
    std::filesystem::remove(ballast);
    EXPECT_TRUE(records_->Append(id, {Block(blocks)}, {}));
    EXPECT_TRUE(records_->Insert(third, Happened("submitted")));
    Open();
    ExpectBlocks(id, blocks + 1);
    EXPECT_EQ(*records_->Load(third.snapshot.id), third);
    EXPECT_TRUE(AtStart().warnings.empty());
    std::cout << blocks << " blocks until it was full\n" << std::flush;
    records_.reset();
    ::_exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == kNotPermitted) GTEST_SKIP() << "private mounts are not permitted";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// The answers that a client received before the process died, line by line.
void WorkAndTell(const std::filesystem::path& state, int operation, int told) {
  FaultVfs disk;
  disk.DieAt(operation);
  std::int64_t now = 0;
  // Every third call syncs.
  Result<Records> opened =
      Records::Open(state, {.steady = [&now] { return SteadyTime(Nanoseconds(now)); }});
  if (!opened) ::_exit(1);
  std::optional<Records> records(std::move(*opened));
  const auto tell = [told](const auto& done) {
    if (!done || ::write(told, ".", 1) != 1) ::_exit(1);
  };
  tell(records->Insert(PlainRecord("a"), Happened("submitted")));
  for (std::uint64_t block = 0; block < 9; ++block) {
    now += kSecond / 3 + 1;
    tell(records->Append({"a"}, {PlainRun(block, 0), PlainRun(block, 1)}, {}));
    if (block == 4) records->Checkpoint();
  }
  SessionSnapshot ended = PlainRecord("a").snapshot;
  ended.state = SessionState::kDone;
  tell(records->Update(ended, Happened("done")));
  records.reset();
  ::_exit(0);
}

/// Without the fixture's VFS: the child has its own.
class SuddenEndTest : public StoreTest {};

TEST_F(SuddenEndTest, HasAllAcknowledgedDataAfterDeathAtAnyDiskOperation) {
  int deaths = 0;
  for (int operation = 1;; ++operation) {
    SCOPED_TRACE("died at operation " + std::to_string(operation));
    std::filesystem::remove_all(state_);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) WorkAndTell(state_, operation, ends[1]);
    ::close(ends[1]);
    std::string told;
    char line = 0;
    while (::read(ends[0], &line, 1) == 1) told += line;
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == 0) break;
    ASSERT_EQ(WEXITSTATUS(status), FaultVfs::kDied);
    ++deaths;
    Open();
    EXPECT_TRUE(AtStart().warnings.empty());
    if (told.empty()) continue;
    ASSERT_EQ(Ids(), "a");
    const std::vector<benchd::Run> runs = Runs({"a"});
    // An unacknowledged call may be present or not, but only as a whole.
    EXPECT_THAT(runs.size(), Ge(2 * std::min<std::size_t>(told.size() - 1, 9)));
    EXPECT_EQ(runs.size() % 2, 0U);
    for (std::size_t run = 0; run < runs.size(); ++run) {
      EXPECT_EQ(runs[run], PlainRun(run / 2, static_cast<std::uint32_t>(run % 2)));
    }
    if (told.size() == 11) {
      EXPECT_EQ(records_->Load({"a"})->snapshot.state, SessionState::kDone);
    }
    records_.reset();
  }
  std::cout << deaths << " deaths\n";
  EXPECT_GT(deaths, 30);
}

}  // namespace
}  // namespace benchd::store
