#pragma once

#include <grpcpp/support/server_callback.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/model/caller.h"
#include "daemon/rpc/live_calls.h"
#include "daemon/rpc/peer_table.h"
#include "daemon/rpc/rate_limit.h"

namespace benchd::rpc {

/// Where calls come in: what every service shares. The references outlive the server.
///
/// `peers` is asked on gRPC's threads, once per call; `calls` and `rate` are touched on the loop's
/// thread only.
struct Endpoint {
  asio::any_io_executor loop;
  const PeerTable& peers;
  LiveCalls& calls;
  RateLimit& rate;
  /// Told of every call as it comes in, whatever becomes of it; may be empty.
  std::function<void()> note_call = {};

  /// Who is behind this call; nobody is served without an identity.
  std::optional<Caller> Identify(const grpc::CallbackServerContext& context) const;
  /// OK when this call may begin; every call asks once, on the loop's thread, and is noted.
  grpc::Status Admit(const std::optional<Caller>& caller) const;
};

/// UNAUTHENTICATED: the connection has no identity.
grpc::Status Unidentified();
/// UNAVAILABLE: the daemon is stopping.
grpc::Status Stopping();

/// One unary call: reads its request, fills its response. Started on the loop's thread.
using UnaryCall = std::function<asio::awaitable<Result<void>>(Caller)>;

/// Serves a unary call on the loop and maps its result; Finish is called exactly once, whatever
/// `call` does. Called on gRPC's threads; returns what the handler returns.
grpc::ServerUnaryReactor* Answer(const Endpoint& endpoint, grpc::CallbackServerContext* context,
                                 UnaryCall call);

}  // namespace benchd::rpc
