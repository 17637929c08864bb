#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "daemon/rpc/peer_table.h"

namespace benchd::rpc {

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
