#pragma once

#include <string>
#include <vector>

#include "benchd/v1/queue.grpc.pb.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/endpoint.h"

namespace benchd::rpc {

/// What the daemon says about itself in QueueService.Get. Owned by main, changed and read on the
/// loop's thread.
struct DaemonInfo {
  std::string version;
  int pid = 0;
  /// Where the daemon keeps itself; empty until a runner has said.
  std::vector<int> housekeeping_cpus;
};

/// benchd.v1.QueueService; gRPC calls the public methods on its threads.
class QueueService final : public v1::QueueService::CallbackService {
 public:
  /// References outlive the server.
  QueueService(const Endpoint& endpoint, Queue& queue, const DaemonInfo& info, const Audit& audit);

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
  /// What an admin may ask for; `action` is its word in the audit.
  struct Change {
    const char* action;
    QueueMode mode;
  };

  grpc::ServerUnaryReactor* Set(grpc::CallbackServerContext* context, Change change,
                                v1::QueueStatus* response);
  asio::awaitable<Result<void>> RunSet(Caller caller, Change change, v1::QueueStatus* response);
  asio::awaitable<Result<void>> RunGet(v1::QueueStatus* response);
  void Fill(const QueueStatus& status, v1::QueueStatus* response) const;

  Endpoint endpoint_;
  Queue& queue_;
  const DaemonInfo& info_;
  const Audit& audit_;
};

}  // namespace benchd::rpc
