#include "daemon/store/sync_thread.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <asio/io_context.hpp>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <future>
#include <optional>

#include "tests/support/loop.h"
#include "tests/support/temp_folder.h"

namespace benchd::store {
namespace {

class SyncThreadTest : public testing::Test {
 protected:
  SyncThreadTest() { std::ofstream(log_) << "text"; }

  int Sync() {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    takes_signals_ = sigismember(&blocked, SIGTERM) == 0;
    synced_on_ = std::this_thread::get_id();
    ++syncs_;
    syncs_.notify_all();
    if (gate_.valid()) gate_.wait();
    return error_;
  }
  void StartWaiters(int count) {
    for (int i = 0; i < count; ++i) asio::co_spawn(loop_, AwaitOne(), Rethrow);
    loop_.restart();
    loop_.poll();
  }
  asio::awaitable<void> AwaitOne() {
    Result<void> synced = co_await thread_->Wait();
    EXPECT_EQ(std::this_thread::get_id(), loops_thread_);
    ++(synced ? done_ : failed_);
  }

  TempFolder folder_;
  std::filesystem::path log_ = folder_ / "log";
  std::atomic<int> syncs_ = 0;
  std::atomic<int> error_ = 0;
  std::atomic<bool> takes_signals_ = true;
  std::atomic<std::thread::id> synced_on_;
  std::shared_future<void> gate_;
  int done_ = 0;
  int failed_ = 0;
  const std::thread::id loops_thread_ = std::this_thread::get_id();
  asio::io_context loop_;
  LogSync sync_{log_, [this](int) { return Sync(); }};
  std::optional<SyncThread> thread_{std::in_place, sync_, true};
};

TEST_F(SyncThreadTest, SyncsOnItsThreadWhichTakesNoSignals) {
  EXPECT_TRUE(RunToEnd(loop_, thread_->Wait()));
  EXPECT_NE(synced_on_, loops_thread_);
  EXPECT_FALSE(takes_signals_);
}

TEST_F(SyncThreadTest, ThoseWhoWaitWhenASyncBeginsShareIt) {
  std::promise<void> gate;
  gate_ = gate.get_future().share();
  StartWaiters(1);
  syncs_.wait(0);
  // These must not be content with the sync that is in progress.
  StartWaiters(50);
  gate.set_value();
  loop_.restart();
  loop_.run();
  EXPECT_EQ(done_, 51);
  EXPECT_EQ(syncs_, 2);
}

TEST_F(SyncThreadTest, AllWhoShareASyncGetItsError) {
  error_ = EIO;
  StartWaiters(3);
  loop_.restart();
  loop_.run();
  EXPECT_EQ(failed_, 3);
  EXPECT_FALSE(sync_.TakeFailure());
}

TEST_F(SyncThreadTest, PerformsARequestThatNobodyWaitsFor) {
  error_ = EIO;
  sync_.Request();
  syncs_.wait(0);
  thread_.reset();
  EXPECT_EQ(syncs_, 1);
  EXPECT_TRUE(sync_.TakeFailure());
}

TEST_F(SyncThreadTest, EndsOnlyWhenAllWhoWaitHaveTheirAnswer) {
  StartWaiters(2);
  thread_.reset();
  loop_.restart();
  loop_.run();
  EXPECT_EQ(done_, 2);
}

TEST_F(SyncThreadTest, WithoutAThreadSyncsAtOnce) {
  thread_.reset();
  thread_.emplace(sync_, false);
  EXPECT_TRUE(RunToEnd(loop_, thread_->Wait()));
  EXPECT_EQ(synced_on_, loops_thread_);
}

}  // namespace
}  // namespace benchd::store
