#pragma once

#include <grpcpp/channel.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "benchd/v1/queue.pb.h"
#include "client/exit_code.h"
#include "client/remote/ssh_connection.h"
#include "core/base/file.h"

namespace benchd::client {

/// Where daemons listen. Tests put other places in.
struct SocketPlaces {
  std::string system_socket = "/run/benchd/benchd.sock";
  std::string runtime_dir;          ///< XDG_RUNTIME_DIR, empty = none
  std::string shared_dir = "/tmp";  ///< of the fallback benchd-UID/
  uid_t uid = 0;                    ///< whose user daemon
};

/// How long a socket may take to answer.
inline constexpr std::chrono::milliseconds kConnectTimeout{10'000};

/// The places of this process' user.
SocketPlaces DefaultPlaces();

/// The socket of the user's own daemon, whether or not it is there.
///
/// @errors (exit 5) the fallback directory exists and is not ours: a link, another owner, a mode
/// that
///         lets others in.
Result<std::string> UserSocket(const SocketPlaces& places);

/// Connects to a Unix socket (close-on-exec, non-blocking afterwards, as gRPC needs it).
///
/// @param timeout  for a daemon that hangs: its backlog fills up, and connect(2) would wait forever
/// @param error  errno of the failure, 0 on success
UniqueFd ConnectUnix(const std::string& path, std::chrono::milliseconds timeout, int* error);

/// The group that may use a socket, for messages: the socket's own, else "benchd".
std::string SocketGroup(const std::string& path);

/// Who is at the other end must be root, the user benchd or ourselves: anybody else could listen in
/// /tmp and would get our environment.
///
/// @errors (exit 5) names the stranger.
Result<void> CheckPeer(int fd, uid_t own_uid);

/// How a command finds its daemon.
struct LinkOptions {
  std::optional<SshTarget> host;                        ///< --host or BENCHD_HOST: over there
  std::optional<std::string> socket;                    ///< --socket
  std::optional<std::string> environment_socket;        ///< BENCHD_SOCKET
  bool may_start = true;                                ///< without --no-autostart
  std::chrono::milliseconds timeout = kConnectTimeout;  ///< to connect, and for the first answer
  SocketPlaces places;
};

/// The connection to the daemon, found in the contract's order: --socket, BENCHD_SOCKET, the system
/// socket, the user socket, else a user daemon that is started (and said so on stderr). With --host
/// a benchctl on that machine finds it, checks it and hands the connection over (dial-stdio).
///
/// benchctl connects the socket itself, because it has to know who is at the other end before it
/// sends anything. After the first answer all its threads stay on the daemon's housekeeping CPUs.
/// Thread-safe where noted.
class DaemonLink {
 public:
  /// @errors (exit 5) nothing answers, no permission (names the group), a stranger's daemon.
  static Result<std::unique_ptr<DaemonLink>> Open(LinkOptions options);

  /// Connects again to the same socket after the daemon went away, by a new ssh with --host; starts
  /// none.
  Result<void> Reopen();

  /// The login over there with --host, else null.
  const RemoteLogin* remote() const { return ssh_ ? &ssh_->login() : nullptr; }

  /// Of the caller, as the daemon knows it.
  uid_t uid() const { return ssh_ ? ssh_->login().uid : options_.places.uid; }
  std::string UserNameThere(std::uint32_t uid) const;
  std::function<std::string(std::uint32_t)> UserNames() const;

  /// What went away when a call broke off: "the daemon", or the connection to its machine.
  std::string OtherEnd() const;

  /// How long it is waited for, and the pause between two attempts.
  std::chrono::seconds AbsenceTimeout() const { return std::chrono::seconds(ssh_ ? 300 : 30); }
  std::chrono::milliseconds RetryPause() const;

  /// `error` of a call; why, where ssh knows why the connection broke off.
  Error Explain(Error error);

  /// For new stubs. Any thread.
  std::shared_ptr<grpc::Channel> channel() const;

  /// What the daemon answered first: version, queue, housekeeping CPUs.
  const v1::QueueStatus& status() const { return status_; }

 private:
  explicit DaemonLink(LinkOptions options) : options_(std::move(options)) {}

  Result<void> OpenRemote(bool first);
  Result<void> Adopt(UniqueFd fd);

  const LinkOptions options_;
  std::string path_;                    ///< of the socket
  std::unique_ptr<SshConnection> ssh_;  ///< with --host; outlives the channel on its socket
  v1::QueueStatus status_;
  mutable std::mutex mutex_;
  std::shared_ptr<grpc::Channel> channel_;
};

/// Opens `*link` unless it is open already.
Result<void> OpenOnce(const LinkOptions& options, std::unique_ptr<DaemonLink>* link);

/// A connected socket and where it was found.
struct FoundDaemon {
  UniqueFd fd;
  std::string path;
};

/// The socket of the first daemon in that order, connected; who listens there is not checked yet.
Result<FoundDaemon> ConnectToDaemon(const LinkOptions& options, bool may_start);

}  // namespace benchd::client
