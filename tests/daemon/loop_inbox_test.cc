#include "daemon/loop_inbox.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace benchd {
namespace {

using std::chrono::steady_clock;

/// A loop on a thread of its own, with an inbox; ends when no work is left.
class LoopInboxTest : public ::testing::Test {
 protected:
  void Start() {
    thread_ = std::thread([this] { loop_.run(); });
  }
  void End() {
    asio::post(loop_, [this] {
      guard_.reset();
      inbox_.Close();
    });
    thread_.join();
  }

  asio::io_context loop_{1};
  LoopInbox inbox_{loop_};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{loop_.get_executor()};
  std::thread thread_;
};

TEST_F(LoopInboxTest, WhatAThreadPostsIsDoneOnTheLoopInItsOrder) {
  std::vector<int> done;
  for (int i = 0; i < 100; ++i) {
    asio::post(inbox_.session_executor(), [&done, i] { done.push_back(i); });
  }
  Start();
  for (int i = 100; i < 1000; ++i) {
    asio::post(inbox_.session_executor(), [this, &done, i] {
      EXPECT_EQ(std::this_thread::get_id(), thread_.get_id());
      done.push_back(i);
    });
  }
  std::promise<void> last;
  asio::post(inbox_.session_executor(), [&last] { last.set_value(); });
  last.get_future().wait();
  End();
  ASSERT_EQ(done.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST_F(LoopInboxTest, TheSessionComesFirstAndUsersTakeTurns) {
  std::vector<std::string> done;
  const auto add = [&done](const asio::any_io_executor& executor, std::string name) {
    asio::post(executor, [&done, name = std::move(name)] { done.push_back(name); });
  };
  for (const char* const job : {"1a", "1b", "1c"}) add(inbox_.user_executor(1), job);
  for (const char* const job : {"0a", "0b"}) add(inbox_.user_executor(0), job);
  for (const char* const job : {"session a", "session b"}) add(inbox_.session_executor(), job);
  Start();
  End();
  EXPECT_EQ(done,
            (std::vector<std::string>{"session a", "session b", "0a", "1a", "0b", "1b", "1c"}));
}

TEST_F(LoopInboxTest, TheLoopHandlesItsOwnEventsBetweenTwoJobsOfUsers) {
  std::vector<int> done;
  for (int i = 0; i < 3; ++i) {
    asio::post(inbox_.user_executor(1), [this, &done, i] {
      done.push_back(i);
      asio::post(loop_, [&done, i] { done.push_back(10 + i); });
    });
  }
  Start();
  End();
  EXPECT_EQ(done, (std::vector<int>{0, 10, 1, 11, 2, 12}));
}

TEST_F(LoopInboxTest, WhatMayOnlyBeMovedIsPostedAsWell) {
  Start();
  std::promise<int> answer;
  std::future<int> future = answer.get_future();
  asio::post(inbox_.session_executor(),
             [answer = std::move(answer), value = std::make_unique<int>(7)]() mutable {
               answer.set_value(*value);
             });
  EXPECT_EQ(future.get(), 7);
  End();
}

TEST_F(LoopInboxTest, ACoroutineStaysOnTheLoopAndItsTimersAreTheLoops) {
  const auto wait = [](asio::io_context* loop) -> asio::awaitable<bool> {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(1));
    co_await timer.async_wait(asio::use_awaitable);
    co_return loop->get_executor().running_in_this_thread();
  };
  std::promise<bool> on_loop;
  asio::co_spawn(inbox_.session_executor(), wait(&loop_),
                 [&on_loop](const std::exception_ptr&, bool there) { on_loop.set_value(there); });
  Start();
  EXPECT_TRUE(on_loop.get_future().get());
  End();
}

TEST_F(LoopInboxTest, TheLoopRunsDryOnlyWhenNobodyHasAWorkGuardAndWhatComesLateIsDone) {
  std::optional guard(asio::make_work_guard(inbox_.session_executor()));
  Start();
  std::promise<void> closed;
  asio::post(loop_, [this, &closed] {
    guard_.reset();
    inbox_.Close();
    closed.set_value();
  });
  closed.get_future().wait();
  std::atomic<bool> done = false;
  asio::post(inbox_.session_executor(), [&done, &guard] {
    done = true;
    guard.reset();
  });
  thread_.join();
  EXPECT_TRUE(done);
}

TEST_F(LoopInboxTest, WhatIsNeverDoneIsDestroyedWithIt) {
  const auto value = std::make_shared<int>(1);
  {
    asio::io_context loop{1};
    LoopInbox inbox(loop);
    asio::post(inbox.session_executor(), [value] {});
    EXPECT_EQ(value.use_count(), 2);
  }
  EXPECT_EQ(value.use_count(), 1);
}

/// How often the loop went to sleep per post, for many posts from a busy thread on the same CPU.
double SleepsAPost(asio::io_context& loop, const asio::any_io_executor& executor) {
  constexpr int kPosts = 200;
  int done = 0;
  rusage before{};
  rusage after{};
  auto guard = asio::make_work_guard(loop);
  std::promise<void> all;
  std::thread thread([&loop, &before, &after] {
    ::getrusage(RUSAGE_THREAD, &before);
    loop.run();
    ::getrusage(RUSAGE_THREAD, &after);
  });
  for (int i = 0; i < kPosts; ++i) {
    const auto until = steady_clock::now() + std::chrono::milliseconds(1);
    while (steady_clock::now() < until) {
    }
    asio::post(executor, [&done, &all] {
      if (++done == kPosts) all.set_value();
    });
  }
  all.get_future().wait();
  asio::post(loop, [&loop] { loop.stop(); });
  thread.join();
  return static_cast<double>(after.ru_nvcsw - before.ru_nvcsw) / kPosts;
}

// With asio::post() to the loop itself, it is 2 on the author's machine.
TEST(LoopInboxOnOneCpuTest, TheLoopSleepsOnceAPostAndNotForTheLockAsWell) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  asio::io_context loop{1};
  LoopInbox inbox(loop);
  EXPECT_LT(SleepsAPost(loop, inbox.session_executor()), 1.2);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(all), &all), 0);
}

}  // namespace
}  // namespace benchd
