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

/// The places of this process' user.
SocketPlaces DefaultPlaces();

/// The socket of the user's own daemon, whether or not it is there.
///
/// @errors (exit 5) the fallback directory exists and is not ours: a link, another owner, a mode
///         that lets others in.
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
  DaemonLink(const DaemonLink&) = delete;
  DaemonLink& operator=(const DaemonLink&) = delete;
  ~DaemonLink();

  /// Connects again to the same socket after the daemon went away, by a new ssh with --host; starts
  /// none.
  Result<void> Reopen();

  /// Whether what went away is one's own daemon, in whose place Open() would start another.
  bool MayRestart() const;
  /// Starts it on the same socket and connects. Only where MayRestart().
  /// @errors (exit 5) it does not start.
  Result<void> Restart();

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
  std::string started;  ///< a sentence about the daemon that was started for it; else empty
};

/// The socket of the first daemon in that order, connected; who listens there is not checked yet.
Result<FoundDaemon> ConnectToDaemon(const LinkOptions& options, bool may_start);

/// The message of a connection that broke off.
inline constexpr char kConnectionClosed[] = "the daemon went away: the connection is closed";

/// A refused call as error: the daemon's sentence, its hint (Status::error_details, plain text) and
/// a code that ExitFor() takes for the right exit code.
Error FromStatus(const grpc::Status& status);

/// True when the connection broke, as opposed to an answer of the daemon's that says "unavailable".
bool IsConnectionLoss(const grpc::Status& status);

/// Longest time that a unary call may take: a submit hashes every program it resolves, a cancel
/// waits until the children are gone.
inline constexpr auto kCallTimeout = std::chrono::seconds(120);

/// For what waits until the running session has ended: as long as the user cares to wait.
inline constexpr auto kQueueTimeout = std::chrono::hours(24 * 30);

/// True, after a pause, when the daemon refused a call only because there were too many at the
/// moment, and the call may be made again: twice at most.
///
/// @param context   of the refused call: the daemon marks it with kRetryAfterKey
/// @param attempt   1 = the first one has just been refused
/// @param timeout   the call's: no pause is longer than that
bool WaitToAskAgain(const grpc::ClientContext& context, int attempt,
                    std::chrono::milliseconds timeout = kCallTimeout);

/// One unary call with a deadline: CallDaemon(*stub, &Stub::Get, request).
///
/// @errors what the daemon said.
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

/// The same over a link: CallDaemon(link, &v1::SessionService::Stub::Get, request).
template <typename Stub, typename Request, typename Response>
Result<Response> CallDaemon(
    DaemonLink& link, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
    const Request& request, std::chrono::milliseconds timeout = kCallTimeout) {
  Stub stub(link.channel());
  auto response = CallDaemon(stub, method, request, timeout);
  if (!response) return link.Explain(std::move(response).error());
  return response;
}

/// One call of a command that makes no other: finds the daemon first, or starts one.
///
/// @errors DaemonLink::Open's, too.
template <typename Stub, typename Request, typename Response>
Result<Response> CallDaemon(const LinkOptions& options,
                            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                         Response*),
                            const Request& request) {
  TRY(auto link, DaemonLink::Open(options));
  return CallDaemon(*link, method, request);
}

}  // namespace benchd::client
