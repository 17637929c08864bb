#include "daemon/store/log_sync.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>

#include "tests/support/temp_folder.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;

class LogSyncTest : public testing::Test {
 protected:
  void Write(const std::filesystem::path& file) { std::ofstream(file) << "text"; }
  UnsyncedFile Written(const std::string& name) {
    Write(folder_ / name);
    return {UniqueFd(::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC)), folder_ / name};
  }
  /// Counts the files that are synced, and keeps the inode of the last one.
  int Count(int file) {
    struct stat status {};
    EXPECT_EQ(::fstat(file, &status), 0);
    last_ = status.st_ino;
    ++synced_;
    return error_;
  }
  ino_t InodeOf(const std::filesystem::path& file) {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return status.st_ino;
  }

  TempFolder folder_;
  std::filesystem::path log_ = folder_ / "log";
  std::atomic<int> synced_ = 0;
  std::atomic<int> error_ = 0;
  std::atomic<ino_t> last_ = 0;
  LogSync sync_{log_, [this](int file) { return Count(file); }};
};

TEST_F(LogSyncTest, ALogThatDoesNotExistHasNothingToSync) {
  EXPECT_TRUE(sync_.Run());
  EXPECT_EQ(synced_, 0);
}

TEST_F(LogSyncTest, SyncsTheLogEachTimeAndAFileOnce) {
  Write(log_);
  sync_.Add(Written("a"));
  sync_.Add(Written("b"));
  EXPECT_TRUE(sync_.Run());
  EXPECT_EQ(synced_, 3);
  EXPECT_TRUE(sync_.Run());
  EXPECT_EQ(synced_, 4);
}

TEST_F(LogSyncTest, FollowsALogThatWasReplaced) {
  Write(log_);
  EXPECT_TRUE(sync_.Run());
  Write(folder_ / "other");
  std::filesystem::rename(folder_ / "other", log_);
  EXPECT_TRUE(sync_.Run());
  EXPECT_EQ(last_, InodeOf(log_));
}

TEST_F(LogSyncTest, RefusesALinkInPlaceOfTheLog) {
  Write(folder_ / "other");
  std::filesystem::create_symlink(folder_ / "other", log_);
  EXPECT_FALSE(sync_.Run());
}

TEST_F(LogSyncTest, NamesTheFileThatCannotBeSynced) {
  Write(log_);
  error_ = EIO;
  Result<void> failed = sync_.Run();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr(log_.string()));
}

TEST_F(LogSyncTest, AFileThatCannotBeSyncedIsAnErrorWithoutALogToo) {
  sync_.Add(Written("a"));
  error_ = EIO;
  Result<void> failed = sync_.Run();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr(folder_ / "a"));
}

TEST_F(LogSyncTest, KeepsTheErrorOfARequestedSyncUntilItIsTaken) {
  Write(log_);
  error_ = EIO;
  sync_.Request();
  EXPECT_EQ(synced_, 1);
  EXPECT_TRUE(sync_.TakeFailure());
  EXPECT_FALSE(sync_.TakeFailure());
  error_ = 0;
  sync_.Request();
  EXPECT_FALSE(sync_.TakeFailure());
}

TEST_F(LogSyncTest, LeavesARequestToWhoeverTakesIt) {
  Write(log_);
  int requests = 0;
  sync_.OnRequest([&requests] { ++requests; });
  sync_.Request();
  EXPECT_EQ(requests, 1);
  EXPECT_EQ(synced_, 0);
}

TEST_F(LogSyncTest, SyncsARealFile) {
  Write(log_);
  LogSync real(log_);
  EXPECT_TRUE(real.Run());
  EXPECT_EQ(LogSync::SyncData(-1), EBADF);
}

}  // namespace
}  // namespace benchd::store
