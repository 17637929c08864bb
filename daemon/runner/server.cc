#include "daemon/runner/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "core/base/try.h"
#include "daemon/launch/host.h"

namespace benchd {

Server::Server(MeasuredRun::Services services, UniqueFd signals)
    : services_(services),
      signals_(std::move(signals)),
      signal_watch_(services.loop, signals_.get(), *this) {}

void Server::Listen(UniqueFd listener, uid_t user) {
  listener_ = std::move(listener);
  user_ = user;
  listener_watch_.emplace(services_.loop, listener_.get(), *this);
  watchdog_interval_ns_ = WatchdogIntervalNs();
  if (watchdog_interval_ns_ == 0) return;
  watchdog_.emplace(services_.loop, *this);
  watchdog_->Arm(watchdog_interval_ns_);
}

void Server::OnWatchdog() {
  if (!watchdog_->TakeExpiry()) return;
  NotifySystemd("WATCHDOG=1");
  watchdog_->Arm(watchdog_interval_ns_);
}

void Server::Serve(UniqueFd connection) {
  peer_ = std::make_unique<Peer>(services_, std::move(connection), *this);
}

void Server::OnReady(int fd, std::uint32_t) {
  if (fd == signals_.get()) return OnSignal();
  if (watchdog_ && fd == watchdog_->fd()) return OnWatchdog();
  Accept();
}

void Server::OnSignal() {
  signalfd_siginfo info{};
  if (read(signals_.get(), &info, sizeof(info)) != sizeof(info)) return;
  if (info.ssi_signo == SIGCHLD) {
    services_.tree.Reap();
  } else {
    Stop();
  }
}

void Server::Stop() {
  if (stopping_) return;
  stopping_ = true;
  NotifySystemd("STOPPING=1");
  listener_watch_.reset();
  if (peer_) return peer_->HangUp();
  services_.loop.Stop();
}

void Server::Accept() {
  UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection) return;
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  if (peer.uid != user_) {
    return Log(
        LogLevel::kWarning,
        fmt::format("refused a connection from uid {}: only uid {} may connect", peer.uid, user_));
  }
  if (peer_ && !peer_->IsClosed()) {
    return Log(LogLevel::kWarning, "refused a second connection: benchd is already connected");
  }
  if (!peer_) return Serve(std::move(connection));
  // The old connection is closed, but this has not been handled yet, or its run is still being
  // cleaned up.
  next_ = std::move(connection);
  peer_->HangUp();
}

void Server::OnPeerGone(Peer&) {
  peer_.reset();
  if (stopping_ || !listener_) return services_.loop.Stop();
  if (next_) Serve(std::move(next_));
}

namespace {

constexpr int kFirstSystemdFd = 3;

Result<sockaddr_un> AddressOf(std::string_view path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return InvalidArgument("--socket", "the path is empty or longer than 107 bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

UniqueFd NewSocket() { return UniqueFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

/// Removes the socket of a dead runner at `path`.
Result<void> RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode)) {
    return Error{ErrorCode::kAlreadyExists, path + ": the file is not a socket",
                 "remove it, or choose another --socket"};
  }
  const UniqueFd probe = NewSocket();
  if (connect(probe.get(), Generic(address), sizeof(address)) == 0 || errno != ECONNREFUSED) {
    return Error{ErrorCode::kAlreadyExists, path + ": another process listens there",
                 "stop the other benchd-runner"};
  }
  if (unlink(path.c_str()) != 0) return SystemError(path, errno);
  return {};
}

Result<void> CheckKind(int fd, bool listening, std::string_view name) {
  const auto option = [fd](int which) {
    int value = -1;
    socklen_t size = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, which, &value, &size) == 0 ? value : -1;
  };
  if (option(SO_DOMAIN) != AF_UNIX || option(SO_TYPE) != SOCK_SEQPACKET ||
      option(SO_ACCEPTCONN) != (listening ? 1 : 0)) {
    return InvalidArgument(name, std::string("not a ") + (listening ? "listening" : "connected") +
                                     " Unix SOCK_SEQPACKET socket");
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return {};
}

int NumberOf(const char* text) {
  int number = -1;
  if (text == nullptr) return number;
  const char* end = text + std::strlen(text);
  return std::from_chars(text, end, number).ptr == end ? number : -1;
}

}  // namespace

Result<UniqueFd> ListenAt(const std::string& path, uid_t owner) {
  TRY(auto address, AddressOf(path));
  TRY_VOID(RemoveStale(path, address));
  UniqueFd listener = NewSocket();
  if (!listener) return SystemError("creating a socket", errno);
  // The runner's umask (077) prevents other users from connecting between bind and chown.
  if (bind(listener.get(), Generic(address), sizeof(address)) != 0) {
    return SystemError(path, errno);
  }
  if ((owner != geteuid() && chown(path.c_str(), owner, static_cast<gid_t>(-1)) != 0) ||
      chmod(path.c_str(), 0600) != 0 || listen(listener.get(), 8) != 0) {
    Error error = SystemError(path, errno);
    unlink(path.c_str());
    return error;
  }
  return listener;
}

Result<UniqueFd> AdoptSystemdSocket() {
  if (NumberOf(getenv("LISTEN_PID")) != getpid()) return UniqueFd();
  const int count = NumberOf(getenv("LISTEN_FDS"));
  if (count < 1) return UniqueFd();
  if (count > 1) return InvalidArgument("systemd's sockets", "more than one was passed");
  TRY_VOID(CheckKind(kFirstSystemdFd, true, "systemd's socket"));
  return UniqueFd(kFirstSystemdFd);
}

Result<UniqueFd> AdoptConnection(std::string_view name) {
  const int fd = NumberOf(std::string(name.substr(name.find(':') + 1)).c_str());
  if (fd < 3)
    return InvalidArgument("--socket", "'" + std::string(name) + "' is not a descriptor above 2");
  TRY_VOID(CheckKind(fd, false, name));
  return UniqueFd(fd);
}

std::int64_t WatchdogIntervalNs() {
  const char* const pid = getenv("WATCHDOG_PID");
  if (pid != nullptr && NumberOf(pid) != getpid()) return 0;
  constexpr std::int64_t kNanosPerMicro = 1000;
  return std::max(NumberOf(getenv("WATCHDOG_USEC")), 0) * kNanosPerMicro / 2;
}

void NotifySystemd(std::string_view state) {
  const char* path = getenv("NOTIFY_SOCKET");
  if (path == nullptr) return;
  auto address = AddressOf(path);
  if (!address) return;
  if (address->sun_path[0] == '@') address->sun_path[0] = '\0';
  const UniqueFd socket_fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  sendto(socket_fd.get(), state.data(), state.size(), MSG_NOSIGNAL, Generic(*address), size);
}

}  // namespace benchd
