#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "daemon/rpc/peer_table.h"

namespace benchd::rpc {

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

  /// More connections of one uid at a time are closed at once: a runaway client must not keep the
  /// others out.
  static constexpr std::size_t kMaxConnectionsPerUid = 256;

  /// `socket` is a listening Unix stream socket.
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
