#include "daemon/loop_parts.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/support/temp_folder.h"

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

/// systemd's end of sd_notify(3): a datagram socket in NOTIFY_SOCKET.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~NotifySocket() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
  }
  std::string Receive() {
    char buffer[256];
    const ssize_t count = ::recv(fd_.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
    return count < 0 ? "nothing" : std::string(buffer, static_cast<std::size_t>(count));
  }

 private:
  UniqueFd fd_;
};

TEST(NotifierTest, SaysReadyFirstThenBeatsAndSaysStopping) {
  const TempFolder dir;
  NotifySocket systemd(dir / "n");
  ::setenv("WATCHDOG_USEC", "4000", 1);
  asio::io_context loop;
  Notifier notifier(loop.get_executor());
  notifier.Ready();
  EXPECT_EQ(systemd.Receive(), "READY=1");
  EXPECT_EQ(systemd.Receive(), "WATCHDOG=1");
  EXPECT_EQ(systemd.Receive(), "nothing");
  loop.run_one();
  EXPECT_EQ(systemd.Receive(), "WATCHDOG=1");
  notifier.Stopping();
  EXPECT_EQ(systemd.Receive(), "STOPPING=1");
  notifier.Stop();
  loop.run();
  EXPECT_EQ(systemd.Receive(), "nothing");
}

TEST(NotifierTest, WithoutAWatchdogThereIsNoTimer) {
  const TempFolder dir;
  NotifySocket systemd(dir / "n");
  asio::io_context loop;
  Notifier notifier(loop.get_executor());
  notifier.Ready();
  EXPECT_EQ(systemd.Receive(), "READY=1");
  EXPECT_EQ(loop.run(), 0U);
}

}  // namespace
}  // namespace benchd
