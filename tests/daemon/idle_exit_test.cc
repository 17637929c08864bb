#include "daemon/idle_exit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>

namespace benchd {
namespace {

using std::chrono::milliseconds;

TEST(IdleExitTest, EndsAfterAnIntervalWithoutActivity) {
  asio::io_context loop;
  bool ended = false;
  IdleExit idle(
      loop.get_executor(), milliseconds(5), [] { return std::optional(7U); },
      [&ended] { ended = true; });
  idle.Start();
  loop.run();
  EXPECT_TRUE(ended);
}

TEST(IdleExitTest, StaysWhileSomethingGoesOn) {
  asio::io_context loop;
  int looks = 0;
  bool ended = false;
  // Busy, busy, one more call each time, and then no activity.
  IdleExit idle(
      loop.get_executor(), milliseconds(1),
      [&looks]() -> std::optional<std::uint64_t> {
        ++looks;
        if (looks <= 2) return std::nullopt;
        return static_cast<std::uint64_t>(std::min(looks, 6));
      },
      [&ended] { ended = true; });
  idle.Start();
  loop.run();
  EXPECT_TRUE(ended);
  EXPECT_EQ(looks, 7);
}

TEST(IdleExitTest, StopsForGood) {
  asio::io_context loop;
  IdleExit idle(
      loop.get_executor(), std::chrono::hours(1), [] { return std::optional(7U); },
      [] { ADD_FAILURE(); });
  idle.Start();
  idle.Stop();
  loop.run();
}

}  // namespace
}  // namespace benchd
