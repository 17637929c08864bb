#include "daemon/rpc/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "daemon/rpc/peer_credentials.h"

namespace benchd::rpc {
namespace {

// accept() fails repeatedly while no descriptor is free, so pause between attempts.
constexpr auto kPauseAfterError = std::chrono::milliseconds(200);
constexpr auto kRefusalLogInterval = std::chrono::seconds(10);

// Asio sets neither flag; without O_NONBLOCK, gRPC's server does not respond.
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
  suspended_.clear();
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
  const Result<ucred> credentials = ReadCredentials(connection.get());
  if (!credentials) return log_(credentials.error().message);
  const auto suspended = suspended_.find(credentials->uid);
  if (suspended == suspended_.end()) return Identify(std::move(connection));
  std::deque<UniqueFd>& waiting = suspended->second.waiting;
  if (waiting.size() >= peers_.most_a_user()) return LogRefusal(credentials->uid);
  waiting.push_back(std::move(connection));
}

/// Hands over a connection with its caller.
void Listener::Identify(UniqueFd connection) {
  Result<Caller> caller = ReadPeer(connection.get());
  if (!caller) return log_(caller.error().message);
  if (peers_.OpenConnections(caller->uid) >= peers_.most_a_user()) {
    return LogRefusal(caller->uid);
  }
  Result<UniqueFd> numbered = peers_.Register(std::move(connection), std::move(caller).value());
  if (!numbered) return log_(numbered.error().message);
  hand_over_(numbered->Release());
}

void Listener::Suspend(std::uint32_t uid, std::chrono::nanoseconds duration) {
  if (!acceptor_.is_open()) return;
  peers_.Disconnect(uid);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  log_(
      fmt::format("uid {}: suspended for {} s, because it calls again and again although its calls "
                  "are refused",
                  uid, seconds.count()));
  suspended_.try_emplace(uid, acceptor_.get_executor());
  AwaitNext(uid, duration);
}

void Listener::AwaitNext(std::uint32_t uid, std::chrono::nanoseconds duration) {
  asio::steady_timer& next = suspended_.at(uid).next;
  next.expires_after(duration);
  next.async_wait([this, uid](std::error_code cancelled) {
    if (!cancelled) HandOverNext(uid);
  });
}

/// Hands over a connection of a user whose suspension has ended, and forgets the suspension after
/// the last one.
void Listener::HandOverNext(std::uint32_t uid) {
  const auto user = suspended_.find(uid);
  if (user == suspended_.end()) return;
  std::deque<UniqueFd>& waiting = user->second.waiting;
  if (waiting.empty()) {
    suspended_.erase(user);
    return;
  }
  UniqueFd connection = std::move(waiting.front());
  waiting.pop_front();
  AwaitNext(uid, kBetweenConnections);
  Identify(std::move(connection));
}

void Listener::LogRefusal(std::uint32_t uid) {
  const auto now = std::chrono::steady_clock::now();
  if (refusal_logged_at_ && now - *refusal_logged_at_ < kRefusalLogInterval) return;
  refusal_logged_at_ = now;
  const Error refused =
      OverLimit(Limit::kConnectionsAUser, peers_.most_a_user(), peers_.most_a_user(), uid);
  log_("refused " + refused.message + "; " + refused.hint);
}

}  // namespace benchd::rpc
