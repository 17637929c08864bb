#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/limits.h"
#include "daemon/rpc/call_budget.h"
#include "daemon/rpc/live_calls.h"
#include "daemon/rpc/peer_table.h"
#include "daemon/rpc/rate_limit.h"
#include "daemon/rpc/refusals.h"

namespace benchd::rpc {

using Context = grpc::CallbackServerContext;

/// Returns the loop's executor for a user's calls; called on any thread.
using LoopOf = std::function<asio::any_io_executor(std::uint32_t uid)>;

/// Suspends a user for some time (Listener::Suspend()); called on the loop's thread.
using Suspend = std::function<void(std::uint32_t uid, Nanoseconds duration)>;

/// The result of Endpoint::Enter(): the caller and the call's share of the caller's budget, or the
/// reason why the call is refused.
struct Entry {
  Caller caller;
  CallShare share;
  grpc::Status status;  ///< if not OK, caller, share and loop are empty
  Context* context = nullptr;
  asio::any_io_executor loop;  ///< the loop, where the caller's calls take turns with other users'
};

/// Informs the client of a refused call that a retry may succeed shortly. Must precede the end of
/// the call.
void InviteRetry(Context& context);

/// The entry point of calls, which all services share. The references outlive the server.
///
/// `peers`, `budget` and `refusals` are used on gRPC's threads, at most once per call; `calls` and
/// `rate` on the loop's thread only.
struct Endpoint {
  LoopOf loop_of;
  const PeerTable& peers;
  LiveCalls& calls;
  RateLimit& rate;
  CallBudget& budget;
  Refusals& refusals;
  Suspend suspend;  ///< may be empty
  /// Called for every incoming call, whatever its result; may be empty.
  std::function<void()> note_call = {};

  /// Identifies the caller and takes a share of the caller's budget. Refuses a call without an
  /// identity. Called on gRPC's thread, so that a flood of refused calls does not reach the loop.
  /// @param request  the parsed message, perhaps a hundred times as large as the client's bytes
  Entry Enter(Context& context, const google::protobuf::Message& request,
              Limit as = Limit::kCallsAUser) const;
  Entry Enter(Context& context, const grpc::ByteBuffer& request) const;
  /// Returns OK if a call that Enter() accepted may begin. Every call does this once, on the loop's
  /// thread; the call is then noted.
  grpc::Status Admit(const Entry& entry) const;

 private:
  Entry Enter(Context& context, std::size_t memory, Limit as) const;
  void CountRefusal(std::uint32_t uid) const;
};

/// Returns the number of bytes of memory that a message uses.
std::size_t MemoryOf(const google::protobuf::Message& message);

/// Returns UNAUTHENTICATED, for a connection without an identity.
grpc::Status Unidentified();
/// Returns UNAVAILABLE, for a call while the daemon is stopping.
grpc::Status Stopping();

/// A part of a call that runs on the loop's thread.
using Step = std::function<asio::awaitable<Result<void>>()>;
/// Converts the step's result, or an exception that it throws, to the status that clients see.
asio::awaitable<grpc::Status> StatusOf(Step step);

using UnaryReactor = grpc::ServerUnaryReactor;

/// The caller of a unary call.
struct Asker {
  Caller caller;
  std::stop_token gone;  ///< requested when the client no longer waits for the answer
  CallShare* share;      ///< the call's share of the caller's budget; never null
};

/// One unary call: reads its request and fills its response. Started on the loop's thread.
using UnaryCall = std::function<asio::awaitable<Result<void>>(Asker)>;

/// Runs a unary call on the loop and maps its result to a status; Finish is called exactly once, in
/// every case. Called on gRPC's threads; returns the handler's return value. The call is in
/// progress until its client has received all of `response`, which must live as long.
///
/// @param response  nullptr if the call itself writes a small one
UnaryReactor* Answer(const Endpoint& endpoint, Entry entry, google::protobuf::Message* response,
                     UnaryCall call);

/// Runs a coroutine of a service as a unary call. It receives the Asker, or only the Caller, and
/// `arguments`, the last of which is the response. Requests, responses and contexts live until the
/// call is finished, and so outlive the coroutine.
template <typename Service, typename Who, typename... A>
UnaryReactor* Answer(const Endpoint& endpoint, Context* context,
                     const google::protobuf::Message* request, Service* service,
                     asio::awaitable<Result<void>> (Service::*run)(Who, A...),
                     std::type_identity_t<A>... arguments) {
  auto* const response = std::get<sizeof...(A) - 1>(std::tie(arguments...));
  Entry entry = endpoint.Enter(*context, *request);
  return Answer(endpoint, std::move(entry), response, [service, run, arguments...](Asker asker) {
    if constexpr (std::is_same_v<Who, Asker>) {
      return (service->*run)(std::move(asker), arguments...);
    } else {
      return (service->*run)(std::move(asker.caller), arguments...);
    }
  });
}

}  // namespace benchd::rpc
