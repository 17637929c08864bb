#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "benchd/v1/queue.pb.h"
#include "client/outcome.h"
#include "client/socket_places.h"

namespace benchd::client {

/// How a command finds its daemon.
struct LinkOptions {
  std::optional<std::string> socket;                      ///< --socket
  std::optional<std::string> environment_socket;          ///< BENCHD_SOCKET
  bool may_start = true;                                  ///< without --no-autostart
  std::chrono::milliseconds patience = kConnectPatience;  ///< for who listens to say the first word
  SocketPlaces places;
};

/// The connection to the daemon, found in the contract's order: --socket, BENCHD_SOCKET, the system
/// socket, the user socket, else a user daemon that is started (and said so on stderr).
///
/// benchctl connects the socket itself, because it has to know who is at the other end before it
/// sends anything. After the first answer all its threads stay on the daemon's housekeeping CPUs.
/// Thread-safe where noted.
class DaemonLink {
 public:
  /// @errors (exit 5) nothing answers, no permission (names the group), a stranger's daemon.
  static Outcome<std::unique_ptr<DaemonLink>> Open(LinkOptions options);

  /// Connects again to the same socket after the daemon went away; starts none.
  Outcome<void> Reopen();

  /// For new stubs. Any thread.
  std::shared_ptr<grpc::Channel> channel() const;

  /// What the daemon answered first: version, queue, housekeeping CPUs.
  const v1::QueueStatus& status() const { return status_; }

 private:
  explicit DaemonLink(LinkOptions options) : options_(std::move(options)) {}

  Outcome<void> Adopt(UniqueFd fd);

  const LinkOptions options_;
  std::string path_;  ///< of the socket
  v1::QueueStatus status_;
  mutable std::mutex mutex_;
  std::shared_ptr<grpc::Channel> channel_;
};

/// A connected socket and where it was found.
struct FoundDaemon {
  UniqueFd fd;
  std::string path;
};

/// The socket of the first daemon in that order, connected; who listens there is not checked yet.
Outcome<FoundDaemon> ConnectToDaemon(const LinkOptions& options, bool may_start);

}  // namespace benchd::client
