#include "daemon/service_manager.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/file.h"

namespace benchd {
namespace {

/// Sets the variables that systemd would set, for its lifetime.
class Variables {
 public:
  ~Variables() {
    for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET",
                             "WATCHDOG_USEC", "WATCHDOG_PID"}) {
      ::unsetenv(name);
    }
  }
  void Set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
};

TEST(PassedSocketsTest, OnlyThoseForThisProcess) {
  Variables variables;
  EXPECT_EQ(PassedSockets(), 0);
  variables.Set("LISTEN_FDS", "2");
  EXPECT_EQ(PassedSockets(), 0) << "for nobody";
  variables.Set("LISTEN_PID", std::to_string(::getpid() + 1));
  EXPECT_EQ(PassedSockets(), 0) << "a parent's";
  variables.Set("LISTEN_PID", std::to_string(::getpid()));
  EXPECT_EQ(PassedSockets(), 2);
  for (const char* none : {"", "-1", "2 ", "x", "99999999999999999999", "5000"}) {
    variables.Set("LISTEN_FDS", none);
    EXPECT_EQ(PassedSockets(), 0) << none;
  }
}

TEST(PassedSocketsTest, ProgramsThatAreStartedLaterDoNotHaveThem) {
  Variables variables;
  const UniqueFd kept(::fcntl(kFirstPassedFd, F_DUPFD_CLOEXEC, 10));
  ASSERT_EQ(::dup2(STDERR_FILENO, kFirstPassedFd), kFirstPassedFd);
  variables.Set("LISTEN_PID", std::to_string(::getpid()));
  variables.Set("LISTEN_FDS", "1");
  TakePassedSockets();
  EXPECT_EQ(::fcntl(kFirstPassedFd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(std::getenv("LISTEN_FDS"), nullptr);
  EXPECT_EQ(PassedSockets(), 0);
  ::close(kFirstPassedFd);
  if (kept) ::dup2(kept.get(), kFirstPassedFd);
}

TEST(NotifyServiceManagerTest, ReachesAnAbstractAddressToo) {
  Variables variables;
  const std::string name = "benchd-test-" + std::to_string(::getpid());
  const UniqueFd systemd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(::bind(systemd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  variables.Set("NOTIFY_SOCKET", "@" + name);
  NotifyServiceManager("READY=1");
  char buffer[64];
  const ssize_t count = ::recv(systemd.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
  ASSERT_GT(count, 0);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(count)), "READY=1");
  // A text that is not an address is ignored.
  for (const std::string& none : {std::string(), std::string("x"), std::string(200, '/')}) {
    variables.Set("NOTIFY_SOCKET", none);
    NotifyServiceManager("READY=1");
  }
  EXPECT_LT(::recv(systemd.get(), buffer, sizeof(buffer), MSG_DONTWAIT), 0);
}

TEST(WatchdogLimitTest, IsOnlyForTheProcessThatItNames) {
  Variables variables;
  EXPECT_FALSE(WatchdogLimit());
  variables.Set("WATCHDOG_USEC", "30000000");
  EXPECT_EQ(WatchdogLimit(), std::chrono::seconds(30));
  variables.Set("WATCHDOG_PID", std::to_string(::getpid() + 1));
  EXPECT_FALSE(WatchdogLimit());
  variables.Set("WATCHDOG_PID", std::to_string(::getpid()));
  EXPECT_EQ(WatchdogLimit(), std::chrono::seconds(30));
  variables.Set("WATCHDOG_USEC", "0");
  EXPECT_FALSE(WatchdogLimit());
}

}  // namespace
}  // namespace benchd
