#include "daemon/rpc/listener.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "core/base/result.h"
#include "daemon/rpc/peer_table.h"

namespace benchd::rpc {
namespace {

// Out of descriptors, accept() fails at once and again: wait until some are free.
constexpr auto kPauseAfterError = std::chrono::milliseconds(200);
constexpr auto kRefusalLogInterval = std::chrono::seconds(10);

// Asio sets neither; without O_NONBLOCK gRPC's server stays mute.
bool PrepareForServer(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
         ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

}  // namespace

Listener::Listener(const asio::any_io_executor& loop, UniqueFd socket, PeerTable& peers,
                   HandOver hand_over, Log log)
    : acceptor_(loop),
      pause_(loop),
      peers_(peers),
      hand_over_(std::move(hand_over)),
      log_(std::move(log)) {
  acceptor_.assign(asio::local::stream_protocol(), socket.Release());
}

void Listener::Start() { Accept(); }

void Listener::Close() {
  std::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

void Listener::Accept() {
  acceptor_.async_accept(
      [this](std::error_code error, asio::local::stream_protocol::socket connection) {
        if (!acceptor_.is_open()) return;
        if (!error) {
          Take(UniqueFd(connection.release()));
          return Accept();
        }
        log_("accepting a connection: " + error.message());
        pause_.expires_after(kPauseAfterError);
        pause_.async_wait([this](std::error_code cancelled) {
          if (!cancelled && acceptor_.is_open()) Accept();
        });
      });
}

void Listener::Take(UniqueFd connection) {
  if (!PrepareForServer(connection.get())) {
    return log_(SystemError("preparing a connection", errno).message);
  }
  Result<Caller> caller = ReadPeer(connection.get());
  if (!caller) return log_(caller.error().message);
  if (peers_.OpenConnections(caller->uid) >= kMaxConnectionsPerUid) {
    return LogRefusal(caller->uid);
  }
  Result<UniqueFd> numbered = peers_.Enter(std::move(connection), std::move(caller).value());
  if (!numbered) return log_(numbered.error().message);
  hand_over_(numbered->Release());
}

void Listener::LogRefusal(std::uint32_t uid) {
  const auto now = std::chrono::steady_clock::now();
  if (refusal_logged_at_ && now - *refusal_logged_at_ < kRefusalLogInterval) return;
  refusal_logged_at_ = now;
  log_("refusing connections: uid " + std::to_string(uid) + " has " +
       std::to_string(kMaxConnectionsPerUid) + " already");
}

}  // namespace benchd::rpc
