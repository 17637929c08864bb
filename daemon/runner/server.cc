#include "daemon/runner/server.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "daemon/runner/listen.h"
#include "daemon/runner/log.h"

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
    return Log(LogLevel::kWarning, "a connection of uid " + std::to_string(peer.uid) +
                                       " was refused: only uid " + std::to_string(user_) + " may");
  }
  if (peer_ && !peer_->IsClosed()) {
    return Log(LogLevel::kWarning, "a second benchd was refused: one is connected");
  }
  if (!peer_) return Serve(std::move(connection));
  // The old one's end, or what it left running, has not been served yet.
  next_ = std::move(connection);
  peer_->HangUp();
}

void Server::OnPeerGone(Peer&) {
  peer_.reset();
  if (stopping_ || !listener_) return services_.loop.Stop();
  if (next_) Serve(std::move(next_));
}

}  // namespace benchd
