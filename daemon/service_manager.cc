#include "daemon/service_manager.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/base/file.h"

namespace benchd {
namespace {

std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::optional<std::uint64_t> NumberIn(const char* variable) {
  const std::string_view text = Variable(variable);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole =
      !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

/// Returns whether the variables of systemd are meant for this process, according to the pid in
/// `pid_variable`. Child processes inherit the variables.
bool IsForUs(const char* pid_variable) {
  return NumberIn(pid_variable) == static_cast<std::uint64_t>(::getpid());
}

}  // namespace

int PassedSockets() {
  constexpr std::uint64_t kMost = 1024;
  const auto count = NumberIn("LISTEN_FDS");
  return IsForUs("LISTEN_PID") && count && *count <= kMost ? static_cast<int>(*count) : 0;
}

void TakePassedSockets() {
  const int count = PassedSockets();
  for (int fd = kFirstPassedFd; fd < kFirstPassedFd + count; ++fd) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
}

void NotifyServiceManager(std::string_view state) {
  const std::string_view path = Variable("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() < 2 || path.size() >= sizeof(address.sun_path)) return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@') {
    address.sun_path[0] = '\0';  // an abstract address, unix(7)
  } else if (path.front() != '/') {
    return;
  }
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return;
  static_cast<void>(::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), size));
}

std::optional<std::chrono::microseconds> WatchdogLimit() {
  const auto limit_us = NumberIn("WATCHDOG_USEC");
  const bool for_all = Variable("WATCHDOG_PID").empty();
  if (!limit_us || *limit_us == 0 || !(for_all || IsForUs("WATCHDOG_PID"))) return std::nullopt;
  return std::chrono::microseconds(*limit_us);
}

}  // namespace benchd
