#include "daemon/store/writer_thread.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tests/support/loop.h"

namespace benchd::store {
namespace {

asio::awaitable<Result<int>> Add(WriterThread& writer, int a, int b) {
  auto add = [a, b]() -> Result<int> { return a + b; };
  co_return co_await writer.Do(std::move(add));
}

TEST(WriterThreadTest, AnswersWhatTheWorkReturns) {
  asio::io_context loop;
  WriterThread writer;
  EXPECT_EQ(*RunToEnd(loop, Add(writer, 2, 3)), 5);
}

asio::awaitable<Result<std::vector<std::thread::id>>> Threads(WriterThread& writer) {
  auto here = []() -> Result<std::thread::id> { return std::this_thread::get_id(); };
  Result<std::thread::id> working = co_await writer.Do(std::move(here));
  co_return std::vector{*working, std::this_thread::get_id()};
}

TEST(WriterThreadTest, WorksOnItsThreadAndResumesOnTheLoops) {
  asio::io_context loop;
  WriterThread writer;
  Result<std::vector<std::thread::id>> threads = RunToEnd(loop, Threads(writer));
  EXPECT_NE((*threads)[0], std::this_thread::get_id());
  EXPECT_EQ((*threads)[1], std::this_thread::get_id());
}

asio::awaitable<void> KeepOrder(WriterThread& writer, int number, std::vector<int>* worked,
                                std::vector<int>* resumed) {
  auto note = [worked, number]() -> Result<void> {
    worked->push_back(number);
    return {};
  };
  Result<void> done = co_await writer.Do(std::move(note));
  if (done) resumed->push_back(number);
}

TEST(WriterThreadTest, KeepsTheOrderInWhichWorkWasAwaited) {
  asio::io_context loop;
  WriterThread writer;
  std::vector<int> worked;
  std::vector<int> resumed;
  std::vector<int> expected;
  for (int i = 0; i < 500; ++i) {
    asio::co_spawn(loop, KeepOrder(writer, i, &worked, &resumed), Rethrow);
    expected.push_back(i);
  }
  loop.run();  // ends when nothing is awaited any more: the work guard is let go, not before
  EXPECT_EQ(resumed, expected);
  EXPECT_EQ(worked, expected);
}

asio::awaitable<void> WaitFor(WriterThread& writer, std::shared_future<void> gate) {
  auto wait = [gate = std::move(gate)]() -> Result<void> {
    gate.wait();
    return {};
  };
  static_cast<void>(co_await writer.Do(std::move(wait)));
}

TEST(WriterThreadTest, FinishesWhatWasQueuedBeforeItEnds) {
  asio::io_context loop;
  std::vector<int> worked;
  std::vector<int> resumed;
  std::promise<void> open_gate;
  std::shared_future<void> gate = open_gate.get_future().share();
  {
    WriterThread writer;
    asio::co_spawn(loop, WaitFor(writer, gate), Rethrow);
    for (int i = 0; i < 3; ++i) {
      asio::co_spawn(loop, KeepOrder(writer, i, &worked, &resumed), Rethrow);
    }
    loop.poll();
    EXPECT_TRUE(resumed.empty());
    open_gate.set_value();
  }
  EXPECT_EQ(worked, (std::vector<int>{0, 1, 2}));
  // The answers came home although the thread is gone.
  loop.run();
  EXPECT_EQ(resumed, (std::vector<int>{0, 1, 2}));
}

TEST(WriterThreadTest, MayEndWithAnswersThatNobodyTakes) {
  std::vector<int> worked;
  std::vector<int> resumed;
  {
    asio::io_context loop;
    WriterThread writer;
    asio::co_spawn(loop, KeepOrder(writer, 7, &worked, &resumed), Rethrow);
    loop.poll();
  }
  EXPECT_EQ(worked, std::vector<int>{7});
}

asio::awaitable<Result<bool>> TakesSignals(WriterThread& writer) {
  auto ask = []() -> Result<bool> {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return sigismember(&blocked, SIGTERM) == 0 || sigismember(&blocked, SIGCHLD) == 0;
  };
  co_return co_await writer.Do(std::move(ask));
}

TEST(WriterThreadTest, TakesNoSignals) {
  asio::io_context loop;
  WriterThread writer;
  EXPECT_FALSE(*RunToEnd(loop, TakesSignals(writer)));
}

}  // namespace
}  // namespace benchd::store
