#include "daemon/rpc/endpoint.h"

#include <grpcpp/server_context.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <exception>
#include <string>
#include <utility>

#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {
namespace {

asio::awaitable<void> Serve(grpc::ServerUnaryReactor* reactor, Endpoint endpoint, UnaryCall call,
                            std::optional<Caller> caller) {
  const LiveCalls::Token token = endpoint.calls.Begin(nullptr);
  grpc::Status status = endpoint.Admit(caller);
  try {
    if (status.ok()) {
      asio::awaitable<Result<void>> running = call(*std::move(caller));
      status = ToStatus(co_await std::move(running));
    }
  } catch (const std::exception& error) {
    status = ToStatus(Error{ErrorCode::kInternal, std::string("benchd: ") + error.what(), {}});
  }
  reactor->Finish(status);
}

}  // namespace

std::optional<Caller> Endpoint::Identify(const grpc::CallbackServerContext& context) const {
  return peers.Find(context.peer());
}

grpc::Status Endpoint::Admit(const std::optional<Caller>& caller) const {
  if (note_call) note_call();
  if (!caller) return Unidentified();
  if (calls.closed()) return Stopping();
  return ToStatus(rate.Take(caller->uid));
}

grpc::Status Unidentified() {
  return grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                      "connection: benchd does not know who is calling",
                      "connect to the control socket itself, not through a relay");
}

grpc::Status Stopping() {
  return ToStatus(
      Error{ErrorCode::kUnavailable, "benchd: is stopping", "try again when it is back"});
}

grpc::ServerUnaryReactor* Answer(const Endpoint& endpoint, grpc::CallbackServerContext* context,
                                 UnaryCall call) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  asio::post(endpoint.loop, [endpoint, reactor, call = std::move(call),
                             caller = endpoint.Identify(*context)]() mutable {
    asio::co_spawn(endpoint.loop, Serve(reactor, endpoint, std::move(call), std::move(caller)),
                   asio::detached);
  });
  return reactor;
}

}  // namespace benchd::rpc
