#pragma once

#include "benchd/v1/queue.grpc.pb.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/daemon_info.h"
#include "daemon/rpc/endpoint.h"

namespace benchd::rpc {

/// benchd.v1.QueueService; gRPC calls the public methods on its threads.
class QueueService final : public v1::QueueService::CallbackService {
 public:
  /// References outlive the server.
  QueueService(const Endpoint& endpoint, Queue& queue, const DaemonInfo& info);

  grpc::ServerUnaryReactor* Pause(grpc::CallbackServerContext* context,
                                  const v1::PauseRequest* request,
                                  v1::QueueStatus* response) override;
  grpc::ServerUnaryReactor* Resume(grpc::CallbackServerContext* context,
                                   const v1::ResumeRequest* request,
                                   v1::QueueStatus* response) override;
  grpc::ServerUnaryReactor* Drain(grpc::CallbackServerContext* context,
                                  const v1::DrainRequest* request,
                                  v1::QueueStatus* response) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetQueueRequest* request,
                                v1::QueueStatus* response) override;

 private:
  grpc::ServerUnaryReactor* Set(grpc::CallbackServerContext* context, bool paused, bool draining,
                                v1::QueueStatus* response);
  asio::awaitable<Result<void>> RunSet(Caller caller, bool paused, bool draining,
                                       v1::QueueStatus* response);
  asio::awaitable<Result<void>> RunGet(v1::QueueStatus* response);
  void Fill(const QueueStatus& status, v1::QueueStatus* response) const;

  Endpoint endpoint_;
  Queue& queue_;
  const DaemonInfo& info_;
};

}  // namespace benchd::rpc
