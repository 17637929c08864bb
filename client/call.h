#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <chrono>

#include "client/daemon_link.h"
#include "client/exit_code.h"

namespace benchd::client {

/// The message of a connection that broke off.
inline constexpr char kConnectionClosed[] = "the daemon went away: the connection is closed";

/// A refused call as error: the daemon's sentence, its hint (Status::error_details, plain text) and
/// a code that ExitFor() takes for the right exit code.
Error FromStatus(const grpc::Status& status);

/// True when the connection broke, as opposed to an answer of the daemon's that says "unavailable".
bool IsConnectionLoss(const grpc::Status& status);

/// True when the daemon takes no more calls of this user at the moment; other limits do not pass.
bool IsTooManyRequests(const grpc::Status& status);

/// Longest time that a unary call may take: a submit hashes every program it resolves, a cancel
/// waits until the children are gone.
inline constexpr auto kCallTimeout = std::chrono::seconds(120);

/// For what waits until the running session has ended: as long as the user cares to wait.
inline constexpr auto kQueueTimeout = std::chrono::hours(24 * 30);

/// True, after a pause, when the daemon refused a call only because there were too many at the
/// moment, and the call may be made again: twice at most.
///
/// @param attempt   1 = the first one has just been refused
/// @param timeout   the call's: no pause is longer than that
bool WaitToAskAgain(const grpc::Status& status, int attempt,
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
    if (!WaitToAskAgain(status, attempt, timeout)) return FromStatus(status);
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
  auto link = DaemonLink::Open(options);
  if (!link) return std::move(link).error();
  return CallDaemon(**link, method, request);
}

}  // namespace benchd::client
