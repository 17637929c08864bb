#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
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

/// Maps connections to callers, because gRPC names a connection only as "fd:7" to a handler.
///
/// Each connection gets a unique number, so that this name is unambiguous: descriptors are moved to
/// numbers that are assigned in sequence, and a number that was just closed is reused last. gRPC
/// closes a descriptor only after the last call of its connection, so no call can look up a number
/// that has been reused; CheckGrpc() tests this at each start. If gRPC closed it earlier, a wrong
/// look-up would still require a call that is delayed for a whole round of connections.
///
/// Written by the listener before gRPC sees the descriptor, and read once at the start of each RPC,
/// which then keeps its own copy. A mutex protects the table, because the loop's thread and gRPC's
/// threads share it. A look-up cannot wait for the loop, because the connection may be closed by
/// then. All functions
/// except Find() are called on the loop's thread.
class PeerTable {
 public:
  /// @param most_a_user  maximum number of connections of a user; enforced by Listener
  explicit PeerTable(std::uint64_t most_a_user = Budgets().At(Limit::kConnectionsAUser))
      : most_a_user_(most_a_user) {}
  std::uint64_t most_a_user() const { return most_a_user_; }

  /// Moves a connected socket to the next number and records its caller.
  /// @errors kResourceExhausted if no descriptor is free
  Result<UniqueFd> Register(UniqueFd connection, Caller caller);

  /// Returns the caller for a ServerContext::peer() such as "fd:7"; empty for other kinds of peers.
  std::optional<Caller> Find(std::string_view peer) const;

  /// Returns the number of connections of `uid` that are still open.
  std::size_t OpenConnections(std::uint32_t uid) const;

  /// Ends all connections of `uid`. gRPC then ends their calls and closes the descriptors.
  void Disconnect(std::uint32_t uid);

  /// Returns the number of connections as uses of the limit: of `uid`, or of each connected user.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

 private:
  /// Numbers that are not known to be closed, each with the inode of its socket, which
  /// distinguishes the socket from a later one with the same number.
  using Open = std::map<int, std::uint64_t>;
  static std::size_t CountOpen(Open& open);

  const std::uint64_t most_a_user_;
  mutable std::mutex mutex_;       ///< guards callers_; never held during a system call
  std::map<int, Caller> callers_;  ///< by number, closed or not
  // Grouped by user, so that the cost of a new connection depends only on that user's connections.
  // A client that reconnects repeatedly leaves a whole round of numbers behind.
  mutable std::map<std::uint32_t, Open> open_;
  int next_number_ = 0;
};

/// Identifies the peer of a connected Unix socket, as the kernel recorded it at connect().
///
/// uid, gid and pid come from SO_PEERCRED, groups from SO_PEERGROUPS, umask and limits from
/// /proc/PID. Umask and limits are both absent if the process has exited or does not belong to that
/// uid (one that is not dumpable belongs to root). Does not block.
/// @errors kPermissionDenied if the kernel does not report the peer
Result<Caller> ReadPeer(int socket);

/// Parses the octal value of the line "Umask:" of /proc/PID/status.
std::optional<std::uint32_t> ParseUmask(std::string_view status);

/// Parses the limits of /proc/PID/limits that this system knows, in the file's order. Skips lines
/// that cannot be parsed.
std::vector<ResourceLimit> ParseLimits(std::string_view limits);

/// Accepts connections on the control socket, identifies the caller, and hands the connection to
/// gRPC, whose own Unix listener does not report the uid.
///
/// Lives on the loop's thread and must outlive the loop's run.
class Listener {
 public:
  /// Takes ownership of `fd`, an identified connection, which is non-blocking and close-on-exec.
  using HandOver = std::function<void(int fd)>;
  /// Receives a sentence about why a connection was refused.
  using Log = std::function<void(const std::string&)>;

  /// `socket` is a listening Unix stream socket. Connections of one uid beyond the limit of `peers`
  /// are closed at once, so that a runaway client does not lock out other users.
  Listener(const asio::any_io_executor& loop, UniqueFd socket, PeerTable& peers, HandOver hand_over,
           Log log);

  void Start();
  /// Accepts no more connections; those handed over stay open.
  void Close();

  /// The pause after each connection that is handed over at the end of a suspension. If all were
  /// handed over at once, the next flood would already be in gRPC, which must handle a call in
  /// order to refuse it: with 64 connections of 100 calls each, 6400 of them.
  static constexpr std::chrono::milliseconds kBetweenConnections{50};

  /// Ends the connections of `uid`. New ones are accepted, but not handed over until `duration` has
  /// passed: a client that waits gets its answer then, and one that floods is not read meanwhile.
  void Suspend(std::uint32_t uid, std::chrono::nanoseconds duration);

 private:
  /// The connections of a suspended user, until all of them are handed over.
  struct Suspended {
    explicit Suspended(const asio::any_io_executor& loop) : next(loop) {}
    asio::steady_timer next;  ///< expires when the next one is handed over
    std::deque<UniqueFd> waiting;
  };

  void Accept();
  void Take(UniqueFd connection);
  void Identify(UniqueFd connection);
  void AwaitNext(std::uint32_t uid, std::chrono::nanoseconds duration);
  void HandOverNext(std::uint32_t uid);
  void LogRefusal(std::uint32_t uid);

  asio::local::stream_protocol::acceptor acceptor_;
  asio::steady_timer pause_;
  PeerTable& peers_;
  HandOver hand_over_;
  Log log_;
  std::map<std::uint32_t, Suspended> suspended_;
  /// Time of the last log line about a refusal. The rate of such lines is limited, so that a client
  /// that floods the socket does not flood the log.
  std::optional<std::chrono::steady_clock::time_point> refusal_logged_at_;
};

}  // namespace benchd::rpc
