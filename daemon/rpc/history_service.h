#pragma once

#include "benchd/v1/history.grpc.pb.h"
#include "daemon/queue/session_registry.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/store/store.h"

namespace benchd::rpc {

/// benchd.v1.HistoryService: asks the store; gRPC calls the public method on its threads, the
/// coroutine runs on the loop's.
class HistoryService final : public v1::HistoryService::CallbackService {
 public:
  /// The store outlives the server.
  HistoryService(const Endpoint& endpoint, Store& store, AccessPolicy access)
      : endpoint_(endpoint), store_(store), access_(access) {}

  grpc::ServerUnaryReactor* ListSummaries(grpc::CallbackServerContext* context,
                                          const v1::ListSummariesRequest* request,
                                          v1::ListSummariesResponse* response) override;

 private:
  asio::awaitable<Result<void>> RunList(Caller caller, const v1::ListSummariesRequest* request,
                                        v1::ListSummariesResponse* response);

  Endpoint endpoint_;
  Store& store_;
  const AccessPolicy access_;
};

}  // namespace benchd::rpc
