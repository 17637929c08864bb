#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "daemon/store/database.h"
#include "daemon/store/sqlite_store.h"
#include "tests/store/rich_values.h"
#include "tests/store/temp_folder.h"
#include "tests/support/loop.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;
using testing::Not;

class StoreFilesTest : public testing::Test {
 protected:
  std::unique_ptr<Store> Open() {
    Result<std::unique_ptr<Store>> store = OpenStore(state_);
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  Error Refusal() {
    Result<std::unique_ptr<Store>> store = OpenStore(state_);
    EXPECT_FALSE(store);
    return store ? Error{} : std::move(store).error();
  }
  template <typename T>
  T Await(asio::awaitable<T> coroutine) {
    return RunToEnd(loop_, std::move(coroutine));
  }
  static std::string Contents(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TempFolder folder_;
  std::filesystem::path state_ = folder_.path() / "state" / "benchd";
  std::filesystem::path database_ = state_ / "benchd.db";
  std::filesystem::path environment_ = state_ / "environments" / "0123abcd.json";
  asio::io_context loop_;
};

TEST_F(StoreFilesTest, MakesFoldersAndFilesForThisUserAlone) {
  const mode_t before = ::umask(0);
  const auto store = Open();
  const Result<void> inserted = Await(store->Insert(RichRecord()));
  ::umask(before);
  ASSERT_TRUE(inserted) << inserted.error().message;
  EXPECT_EQ(ModeOf(state_.parent_path()), 0700);
  EXPECT_EQ(ModeOf(state_), 0700);
  EXPECT_EQ(ModeOf(database_), 0600);
  EXPECT_EQ(ModeOf(state_ / "benchd.db-wal"), 0600);
  EXPECT_EQ(ModeOf(state_ / "benchd.db-shm"), 0600);
  EXPECT_EQ(ModeOf(state_ / "environments"), 0700);
  EXPECT_EQ(ModeOf(environment_), 0600);
}

TEST_F(StoreFilesTest, ClosesADatabaseThatWasOpenToOthers) {
  Open();
  ASSERT_EQ(::chmod(database_.c_str(), 0644), 0);
  Open();
  EXPECT_EQ(ModeOf(database_), 0600);
}

TEST_F(StoreFilesTest, KeepsEnvironmentValuesOutOfTheDatabase) {
  {
    const auto store = Open();
    ASSERT_TRUE(Await(store->Insert(RichRecord())));
    EXPECT_THAT(Contents(state_ / "benchd.db-wal"), HasSubstr("TOKEN"));
    EXPECT_THAT(Contents(state_ / "benchd.db-wal"), Not(HasSubstr("secret")));
  }
  EXPECT_THAT(Contents(database_), HasSubstr("TOKEN"));
  EXPECT_THAT(Contents(database_), Not(HasSubstr("secret")));
  EXPECT_THAT(Contents(environment_), HasSubstr("secret"));
}

TEST_F(StoreFilesTest, DeletesEnvironmentValuesWhenTheSessionEnds) {
  const auto store = Open();
  ASSERT_TRUE(Await(store->Insert(RichRecord())));
  SessionSnapshot snapshot = RichSnapshot();
  for (const SessionState state : {SessionState::kPreparing, SessionState::kPaused}) {
    snapshot.state = state;
    ASSERT_TRUE(Await(store->Update(snapshot)));
    EXPECT_EQ(ModeOf(environment_), 0600);
    EXPECT_EQ(Await(store->Load(snapshot.id))->spec, RichSpec());
  }
  snapshot.state = SessionState::kCancelled;
  ASSERT_TRUE(Await(store->Update(snapshot)));
  EXPECT_EQ(ModeOf(environment_), -1);
  const SessionSpec left = Await(store->Load(snapshot.id))->spec;
  EXPECT_EQ(left.environment.at("PATH"), "");
  EXPECT_EQ(left.benchmarks[0].arms[0].env.at("TOKEN"), "");
  EXPECT_EQ(Await(store->LoadAll())->at(0).spec, left);
}

TEST_F(StoreFilesTest, WritesNoFileForASessionWithoutEnvironment) {
  const auto store = Open();
  ASSERT_TRUE(Await(store->Insert(PlainRecord("0123abcd"))));
  EXPECT_EQ(ModeOf(environment_), -1);
}

TEST_F(StoreFilesTest, LeavesNoSessionWhoseEnvironmentCannotBeKept) {
  const auto store = Open();
  std::filesystem::remove(state_ / "environments");
  Result<void> refused = Await(store->Insert(RichRecord()));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("keeping the environment: "));
  EXPECT_FALSE(Await(store->Load(RichSnapshot().id)));
  EXPECT_TRUE(Await(store->LoadAll())->empty());
}

TEST_F(StoreFilesTest, SweepsAtTheStartWhatACrashLeft) {
  {
    const auto store = Open();
    ASSERT_TRUE(Await(store->Insert(RichRecord())));
    SessionRecord ended = RichRecord();
    ended.snapshot.id.value = "ended";
    ASSERT_TRUE(Await(store->Insert(ended)));
    ended.snapshot.state = SessionState::kDone;
    ASSERT_TRUE(Await(store->Update(ended.snapshot)));
  }
  // As if the daemon had died between the commit and the deletion.
  std::filesystem::copy(environment_, state_ / "environments" / "ended.json");
  std::filesystem::copy(environment_, state_ / "environments" / "never-inserted.json");
  Open();
  EXPECT_EQ(ModeOf(environment_), 0600);
  EXPECT_EQ(ModeOf(state_ / "environments" / "ended.json"), -1);
  EXPECT_EQ(ModeOf(state_ / "environments" / "never-inserted.json"), -1);
}

TEST_F(StoreFilesTest, RefusesANewerDatabaseWithASentence) {
  Open();
  {
    Result<std::unique_ptr<Database>> database = Database::Open(database_);
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE((*database)->Execute("PRAGMA user_version = 7"));
  }
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(error.message, "opening the store: " + database_.string() +
                               ": written by a newer benchd (schema 7, this one knows 2)");
  EXPECT_EQ(error.hint, "run the newer benchd, or choose another --state-dir");
}

TEST_F(StoreFilesTest, RefusesAFileThatIsNoDatabaseAndLeavesIt) {
  std::filesystem::create_directories(state_);
  const std::string text(5000, 'x');
  std::ofstream(database_) << text;
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(error.message, "opening the store: " + database_.string() + ": not an SQLite database");
  EXPECT_EQ(error.hint, "move the file away, benchd then makes a new one");
  EXPECT_EQ(Contents(database_), text);
}

TEST_F(StoreFilesTest, NamesADatabaseThatWasTruncated) {
  {
    const auto store = Open();
    ASSERT_TRUE(Await(store->Insert(RichRecord())));
  }
  std::filesystem::resize_file(database_, 4096);
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(error.message, HasSubstr(database_.string() + ": the database is damaged"));
}

TEST_F(StoreFilesTest, NamesAFolderInPlaceOfTheDatabaseAndAFileInPlaceOfTheFolder) {
  std::filesystem::create_directories(database_);
  EXPECT_EQ(Refusal().message, "opening the store: " + database_.string() + ": Is a directory");
  std::filesystem::remove_all(state_);
  std::ofstream(state_) << "x";
  EXPECT_EQ(Refusal().message, "opening the store: " + state_.string() + ": Not a directory");
}

TEST_F(StoreFilesTest, NamesAFolderThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  std::filesystem::create_directories(state_);
  ASSERT_EQ(::chmod(state_.c_str(), 0500), 0);
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error.message, "opening the store: " + database_.string() + ": Permission denied");
  EXPECT_THAT(error.hint, HasSubstr("--state-dir"));
  ASSERT_EQ(::chmod(state_.c_str(), 0700), 0);
}

TEST_F(StoreFilesTest, NamesADatabaseThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  Open();
  ASSERT_EQ(::chmod(database_.c_str(), 0400), 0);
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error.message, "opening the store: " + database_.string() + ": Permission denied");
}

}  // namespace
}  // namespace benchd::store
