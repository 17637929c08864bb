#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/limits.h"

namespace benchd::rpc {

/// Which caller stands behind which connection: gRPC tells a handler only "fd:7".
///
/// So that this can only mean one connection, each gets a number of its own: descriptors are moved
/// to numbers that go round, and one that was closed a moment ago is the last to come again. gRPC
/// closes a descriptor only when the last call of the connection is gone, so that none is left that
/// could look a former number up: CheckGrpc() tries it at each start. A gRPC that did so earlier
/// would have to keep a call back for a whole round of connections.
///
/// Written by the listener before gRPC sees the descriptor, read once at the entry of each RPC,
/// which then keeps its own copy. The one thing in the daemon that gRPC's threads and the loop's
/// thread share, hence the mutex: a look-up cannot wait for the loop, because by then the
/// connection may be gone. Everything but Find() is called on the loop's thread.
class PeerTable {
 public:
  /// How many connections a user may have: a Listener sees to it.
  explicit PeerTable(std::uint64_t most_a_user = Budgets().At(Limit::kConnectionsAUser))
      : most_a_user_(most_a_user) {}
  std::uint64_t most_a_user() const { return most_a_user_; }

  /// Moves a connected socket to the next number and remembers who is behind it.
  /// @errors kResourceExhausted: no descriptor is free.
  Result<UniqueFd> Register(UniqueFd connection, Caller caller);

  /// The caller behind ServerContext::peer(), such as "fd:7"; nothing for any other kind of peer.
  std::optional<Caller> Find(std::string_view peer) const;

  /// Number of connections of `uid` that are still open.
  std::size_t OpenConnections(std::uint32_t uid) const;

  /// The same as the use of a limit: `uid`'s, or that of each user who has any.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

 private:
  /// Numbers that were not yet seen to be closed, each with the inode of its socket, which tells it
  /// from a later one of the same number.
  using Open = std::map<int, std::uint64_t>;
  static std::size_t CountOpen(Open& open);

  const std::uint64_t most_a_user_;
  mutable std::mutex mutex_;       ///< for callers_; nothing but memory is touched under it
  std::map<int, Caller> callers_;  ///< of each number, closed or not
  // By user, so that who connects costs no more than that user has open: a client that comes again
  // and again leaves a round of numbers behind.
  mutable std::map<std::uint32_t, Open> open_;
  int next_number_ = 0;
};

/// Who is at the other end of a connected Unix socket, as the kernel recorded it at connect().
///
/// uid, gid and pid by SO_PEERCRED, groups by SO_PEERGROUPS; umask and limits from /proc/PID, all
/// of them or none: none where that process has gone or does not belong to that uid (one that is
/// not dumpable belongs to root). Does not block.
/// @errors kPermissionDenied when the kernel does not tell.
Result<Caller> ReadPeer(int socket);

/// The octal value of the line "Umask:" of /proc/PID/status.
std::optional<std::uint32_t> ParseUmask(std::string_view status);

/// The limits of /proc/PID/limits that this system knows, in the file's order; a line that cannot
/// be read is left out.
std::vector<ResourceLimit> ParseLimits(std::string_view limits);

/// Accepts on the control socket, reads who is calling, and hands the connection to gRPC.
///
/// gRPC's own Unix listener gives no uid. Lives on the loop's thread and must outlive the loop's
/// run.
class Listener {
 public:
  /// Takes over an identified connection: non-blocking, close-on-exec. Owns `fd` from then on.
  using HandOver = std::function<void(int fd)>;
  /// Told in a sentence why a connection was not taken.
  using Log = std::function<void(const std::string&)>;

  /// `socket` is a listening Unix stream socket. More connections of one uid at a time than `peers`
  /// allows are closed at once: a runaway client must not keep the others out.
  Listener(const asio::any_io_executor& loop, UniqueFd socket, PeerTable& peers, HandOver hand_over,
           Log log);

  void Start();
  /// Takes no further connection; those handed over live on.
  void Close();

 private:
  void Accept();
  void Take(UniqueFd connection);
  void LogRefusal(std::uint32_t uid);

  asio::local::stream_protocol::acceptor acceptor_;
  asio::steady_timer pause_;
  PeerTable& peers_;
  HandOver hand_over_;
  Log log_;
  /// A client that floods the socket must not flood the log as well.
  std::optional<std::chrono::steady_clock::time_point> refusal_logged_at_;
};

}  // namespace benchd::rpc
