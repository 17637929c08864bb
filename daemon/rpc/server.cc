#include "daemon/rpc/server.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <grpcpp/support/server_interceptor.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "daemon/rpc/grpc_check.h"
#include "daemon/rpc/machine_service.h"
#include "daemon/rpc/session_service.h"

namespace benchd::rpc {

namespace {

constexpr int kMaxStreamsPerConnection = 100;

BundleLimits BundlesOf(const Budgets& limits) {
  return {.bytes = limits.At(Limit::kBundle),
          .bytes_a_user = limits.At(Limit::kBundlesAUser),
          .uploads_a_user = limits.At(Limit::kUploadsAUser)};
}

/// A call of gRPC's own services (health or reflection). These services do not know budgets, so
/// each call counts as a watch, and calls over the limit are cancelled.
class ForeignCall final : public grpc::experimental::Interceptor {
 public:
  ForeignCall(grpc::ServerContextBase* context, Result<CallShare> share)
      : context_(context), share_(std::move(share)) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    using Point = grpc::experimental::InterceptionHookPoints;
    if (!share_ && methods->QueryInterceptionHookPoint(Point::POST_RECV_INITIAL_METADATA)) {
      context_->TryCancel();
    }
    methods->Proceed();
  }

 private:
  grpc::ServerContextBase* const context_;
  const Result<CallShare> share_;
};

/// The factory that creates a ForeignCall for such calls to one user's server.
class ForeignCalls final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  ForeignCalls(CallBudget& budget, std::uint32_t uid) : budget_(budget), uid_(uid) {}

  /// Returns an interceptor that the caller owns, or nullptr for a call of benchd's services.
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    if (std::string_view(info->method()).starts_with("/benchd.")) return nullptr;
    return new ForeignCall(info->server_context(), budget_.Enter(uid_, Limit::kWatchesAUser));
  }

 private:
  CallBudget& budget_;
  const std::uint32_t uid_;
};

}  // namespace

class Server::Impl {
 public:
  Impl(LoopOf loop_of, const Parts& parts)
      : max_idle_(parts.max_idle),
        audit_(parts.audit),
        peers_(parts.peers),
        warn_(parts.warn),
        limits_(parts.limits),
        budget_(parts.limits),
        rate_(parts.clock, parts.warn, parts.limits.At(Limit::kCallsASecond)),
        refusals_(parts.forgiven_a_second),
        endpoint_{std::move(loop_of),
                  parts.peers,
                  parts.calls,
                  rate_,
                  budget_,
                  refusals_,
                  parts.suspend,
                  [&queue = parts.queue] { queue.NoteDisturbance(); }},
        sessions_(endpoint_,
                  {parts.queue, parts.hub, parts.store, parts.random, parts.clock, audit_,
                   BundlesOf(parts.limits), parts.max_silence, parts.limits.At(Limit::kSpec),
                   parts.limits.At(Limit::kPairs), parts.limits.At(Limit::kMetricsASession)}),
        queue_(endpoint_, parts.queue, parts.info, audit_),
        machine_(endpoint_, parts.machine, audit_),
        history_(endpoint_, parts.store, parts.queue.access()) {}

  Result<void> Start() {
    grpc::EnableDefaultHealthCheckService(true);
    TRY_VOID(CheckGrpc());
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    // The servers of other users are created when they first connect.
    if (ServerOf(::geteuid()) != nullptr) return {};
    return Error{ErrorCode::kInternal, "gRPC: the server does not start", {}};
  }

  void Adopt(int fd) {
    const std::optional<Caller> caller = peers_.Find(fmt::format("fd:{}", fd));
    grpc::Server* const server = caller ? ServerOf(caller->uid) : nullptr;
    if (server != nullptr) return grpc::AddInsecureChannelFromFd(server, fd);
    const UniqueFd closed(fd);
    warn_("refused a connection: gRPC cannot start a server for it");
  }

  void Shutdown(std::chrono::milliseconds grace) {
    const auto deadline = std::chrono::system_clock::now() + grace;
    for (const auto& [uid, server] : servers_) server->Shutdown(deadline);
    for (const auto& [uid, server] : servers_) server->Wait();
  }

 private:
  /// Returns the server of a user, which is created at the first connection. With one server per
  /// user, gRPC ends only that user's streams when unfinished requests exhaust the memory quota.
  /// Only gRPC can count a request before it is complete. A server exists until benchd ends,
  /// because shutting it down would wait for its calls, which wait for the loop. The number of
  /// users who may connect is small. Loop's thread.
  grpc::Server* ServerOf(std::uint32_t uid) {
    std::unique_ptr<grpc::Server>& server = servers_[uid];
    if (server == nullptr) server = MakeServer(uid);
    return server.get();
  }

  std::unique_ptr<grpc::Server> MakeServer(std::uint32_t uid) {
    grpc::ResourceQuota quota(fmt::format("uid {}", uid));
    quota.Resize(limits_.At(Limit::kHeldAUser));
    grpc::ServerBuilder builder;
    builder.SetResourceQuota(quota);
    // gRPC parses a message before any check: two bytes can become up to 250.
    builder.SetMaxReceiveMessageSize(static_cast<int>(limits_.At(Limit::kSpec) + kMostBesideSpec));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                               static_cast<int>(max_idle_.count()));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
    builder.RegisterService(&sessions_);
    builder.RegisterService(&queue_);
    builder.RegisterService(&machine_);
    builder.RegisterService(&history_);
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> creators;
    creators.push_back(std::make_unique<ForeignCalls>(budget_, uid));
    builder.experimental().SetInterceptorCreators(std::move(creators));
    return builder.BuildAndStart();
  }

  const std::chrono::milliseconds max_idle_;
  const Audit audit_;
  const PeerTable& peers_;
  const RateLimit::Log warn_;
  const Budgets limits_;
  CallBudget budget_;
  RateLimit rate_;
  Refusals refusals_;
  const Endpoint endpoint_;
  SessionService sessions_;
  QueueService queue_;
  MachineService machine_;
  HistoryService history_;
  // Declared last, so that the servers are destroyed before the services that they call. Changed on
  // the loop's thread, until Shutdown().
  std::map<std::uint32_t, std::unique_ptr<grpc::Server>> servers_;
};

Server::Server(LoopOf loop_of, const Parts& parts)
    : impl_(std::make_unique<Impl>(std::move(loop_of), parts)) {}
Server::~Server() = default;
Result<void> Server::Start() { return impl_->Start(); }
void Server::Adopt(int fd) { impl_->Adopt(fd); }
void Server::Shutdown(std::chrono::milliseconds grace) { impl_->Shutdown(grace); }

}  // namespace benchd::rpc
