#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "benchd/v1/queue.pb.h"
#include "client/app/exit_code.h"
#include "client/link/link_options.h"
#include "client/link/ssh_connection.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::client {

/// Returns the socket places for the user of this process.
SocketPlaces DefaultPlaces();

/// Returns the path of the user daemon's socket, whether or not it exists.
///
/// @errors (exit 5) the fallback directory exists but is not safe: it is a link, has another owner,
///         or gives others access.
Result<std::string> UserSocket(const SocketPlaces& places);

/// Connects to a Unix socket. The descriptor is close-on-exec and, once connected, non-blocking, as
/// gRPC requires.
///
/// @param timeout  limit for a daemon that hangs: if its backlog is full, connect(2) waits forever
/// @param error    set to errno of the failure, 0 on success
UniqueFd ConnectUnix(const std::string& path, std::chrono::milliseconds timeout, int* error);

/// Returns the group that may use a socket, for messages: the group of the file, else "benchd".
std::string SocketGroup(const std::string& path);

/// Checks that the peer is root, the user benchd or the caller. Any other user could listen in /tmp
/// and would receive the caller's environment.
///
/// @errors (exit 5) the peer is another user; the message names it.
Result<void> CheckPeer(int fd, uid_t own_uid);

/// The connection to the daemon. The sockets are tried in this order: --socket, BENCHD_SOCKET,
/// the system socket, the user socket. If none answers, a user daemon is started and reported on
/// stderr. With --host, benchctl on that machine does all this and hands the connection over
/// (dial-stdio).
///
/// benchctl connects the socket itself, because it must check the peer before it sends anything.
/// After the first answer, all its threads run on the daemon's housekeeping CPUs. Thread-safe where
/// noted.
class DaemonLink {
 public:
  /// @errors (exit 5) no daemon answers, permission is denied (the hint names the group), or the
  ///         daemon belongs to an untrusted user.
  static Result<std::unique_ptr<DaemonLink>> Open(LinkOptions options);
  DaemonLink(const DaemonLink&) = delete;
  DaemonLink& operator=(const DaemonLink&) = delete;
  ~DaemonLink();

  /// Reconnects to the same socket after the connection was lost, or with --host through a new ssh
  /// process. Does not start a daemon.
  Result<void> Reopen();

  /// Returns whether the lost daemon is the user's own, which Open() would start again.
  bool MayRestart() const;
  /// Starts the user daemon on the same socket and connects. Requires MayRestart().
  /// @errors (exit 5) the daemon does not start.
  Result<void> Restart();

  /// Returns the login on the other machine with --host, else null.
  const RemoteLogin* remote() const { return ssh_ ? &ssh_->login() : nullptr; }

  /// Returns the caller's uid on the machine of the daemon.
  uid_t uid() const { return ssh_ ? ssh_->login().uid : options_.places.uid; }
  std::string UserNameThere(std::uint32_t uid) const;
  std::function<std::string(std::uint32_t)> UserNames() const;

  /// Returns the subject of messages about a lost connection: "the daemon" or "the connection to
  /// HOST".
  std::string OtherEnd() const;

  /// Returns how long to wait for the daemon to return. RetryPause() is the pause between attempts.
  std::chrono::seconds AbsenceTimeout() const { return std::chrono::seconds(ssh_ ? 300 : 30); }
  std::chrono::milliseconds RetryPause() const;

  /// Returns the reason that ssh reports if the connection was lost, else `error`.
  Error Explain(Error error);

  /// Returns the channel for new stubs. May be called by any thread.
  std::shared_ptr<grpc::Channel> channel() const;

  /// Returns the first answer of the daemon: its version, queue and housekeeping CPUs.
  const v1::QueueStatus& status() const { return status_; }

 private:
  explicit DaemonLink(LinkOptions options) : options_(std::move(options)) {}

  Result<void> OpenRemote(bool first);
  Result<void> Adopt(UniqueFd fd);

  const LinkOptions options_;
  std::string path_;                    ///< path of the socket
  std::unique_ptr<SshConnection> ssh_;  ///< with --host; outlives the channel on its socket
  v1::QueueStatus status_;
  mutable std::mutex mutex_;
  std::shared_ptr<grpc::Channel> channel_;
};

/// Opens `*link` if it is not open yet.
Result<void> OpenOnce(const LinkOptions& options, std::unique_ptr<DaemonLink>* link);

/// A connected socket and where it was found.
struct FoundDaemon {
  UniqueFd fd;
  std::string path;
  std::string started;  ///< a sentence about the daemon that was started; else empty
};

/// Connects to the first daemon in the order of DaemonLink. Does not check the peer.
Result<FoundDaemon> ConnectToDaemon(const LinkOptions& options, bool may_start);

/// The message for a lost connection.
inline constexpr char kConnectionClosed[] = "lost the connection to the daemon";

/// Converts a refused call to an error: the daemon's message, its hint (Status::error_details,
/// plain text) and a code for which ExitFor() returns the right exit code.
Error FromStatus(const grpc::Status& status);

/// Returns whether the connection was lost, as opposed to a daemon that answers "unavailable".
bool IsConnectionLoss(const grpc::Status& status);

/// The longest time that a unary call may take. A submission hashes every program that it resolves,
/// and a cancellation waits until the children have exited.
inline constexpr auto kCallTimeout = std::chrono::seconds(120);

/// The time limit of calls that wait for the running session to end, which is practically infinite.
inline constexpr auto kQueueTimeout = std::chrono::hours(24 * 30);

/// If the daemon refused a call only because too many were in progress, pauses and returns true.
/// The call may then be repeated, at most twice.
///
/// @param context   the context of the refused call, which the daemon marks with kRetryAfterKey
/// @param attempt   1 if the first attempt has just been refused
/// @param timeout   the timeout of the call; no pause is longer
bool WaitToAskAgain(const grpc::ClientContext& context, int attempt,
                    std::chrono::milliseconds timeout = kCallTimeout);

/// Makes one unary call with a deadline: CallDaemon(*stub, &Stub::Get, request).
///
/// @errors the error that the daemon returns.
template <typename Stub, typename Request, typename Response>
Result<Response> CallDaemon(
    Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
    const Request& request, std::chrono::milliseconds timeout = kCallTimeout) {
  for (int attempt = 1;; ++attempt) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    if (status.ok()) return response;
    if (!WaitToAskAgain(context, attempt, timeout)) return FromStatus(status);
  }
}

/// Makes one unary call over a link: CallDaemon(link, &v1::SessionService::Stub::Get, request).
template <typename Stub, typename Request, typename Response>
Result<Response> CallDaemon(
    DaemonLink& link, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
    const Request& request, std::chrono::milliseconds timeout = kCallTimeout) {
  Stub stub(link.channel());
  auto response = CallDaemon(stub, method, request, timeout);
  if (!response) return link.Explain(std::move(response).error());
  return response;
}

/// Makes the only call of a command. Finds or starts the daemon first.
///
/// @errors also the errors of DaemonLink::Open.
template <typename Stub, typename Request, typename Response>
Result<Response> CallDaemon(const LinkOptions& options,
                            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                         Response*),
                            const Request& request) {
  TRY(auto link, DaemonLink::Open(options));
  return CallDaemon(*link, method, request);
}

}  // namespace benchd::client
