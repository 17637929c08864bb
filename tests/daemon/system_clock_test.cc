#include "daemon/system_clock.h"

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <vector>

namespace benchd {
namespace {

using std::chrono::milliseconds;

asio::awaitable<void> WaitTwice(const SystemClock* clock, std::vector<SteadyTime>* times) {
  for (int i = 0; i < 2; ++i) {
    co_await clock->Wait(milliseconds(5));
    times->push_back(clock->Steady());
  }
}

TEST(SystemClockTest, WaitsWhileTheLoopGoesOn) {
  asio::io_context loop;
  const SystemClock clock;
  const SteadyTime start = clock.Steady();
  std::vector<SteadyTime> times;
  asio::co_spawn(loop, WaitTwice(&clock, &times), asio::detached);
  bool meanwhile = false;
  asio::post(loop, [&meanwhile, &times] { meanwhile = times.empty(); });
  loop.run();
  ASSERT_EQ(times.size(), 2U);
  EXPECT_GE(times[0] - start, milliseconds(5));
  EXPECT_GE(times[1] - times[0], milliseconds(5));
  EXPECT_TRUE(meanwhile);
}

}  // namespace
}  // namespace benchd
