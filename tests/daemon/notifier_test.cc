#include "daemon/notifier.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/file.h"
#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

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
