#pragma once

#include <string>
#include <vector>

#include "benchd/v1/queue.grpc.pb.h"
#include "core/base/result.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/audit.h"
#include "daemon/rpc/endpoint.h"

namespace benchd::rpc {

/// Facts about the daemon for QueueService.Get. Owned by main, changed and read on the loop's
/// thread.
struct DaemonInfo {
  std::string version;
  int pid = 0;
  /// CPUs of the daemon itself; empty until a runner has reported them.
  std::vector<int> housekeeping_cpus;
};

/// benchd.v1.QueueService; gRPC calls the public methods on its threads.
class QueueService final : public v1::QueueService::CallbackService {
 public:
  /// References must outlive the server.
  QueueService(const Endpoint& endpoint, Queue& queue, const DaemonInfo& info, const Audit& audit);

  UnaryReactor* Pause(Context* context, const v1::PauseRequest* request,
                      v1::QueueStatus* response) override {
    return Answer(endpoint_, context, request, this, &QueueService::RunSet,
                  {"pause", {.paused = true, .draining = false}}, response);
  }
  UnaryReactor* Resume(Context* context, const v1::ResumeRequest* request,
                       v1::QueueStatus* response) override {
    return Answer(endpoint_, context, request, this, &QueueService::RunSet,
                  {"resume", {.paused = false, .draining = false}}, response);
  }
  UnaryReactor* Drain(Context* context, const v1::DrainRequest* request,
                      v1::QueueStatus* response) override {
    return Answer(endpoint_, context, request, this, &QueueService::RunSet,
                  {"drain", {.paused = true, .draining = true}}, response);
  }
  UnaryReactor* Get(Context* context, const v1::GetQueueRequest* request,
                    v1::QueueStatus* response) override {
    return Answer(endpoint_, context, request, this, &QueueService::RunGet, response);
  }
  grpc::ServerWriteReactor<v1::QueueStatus>* Watch(Context* context,
                                                   const v1::WatchQueueRequest* request) override;

 private:
  /// A change that only admins may request. `action` is its name in the audit log.
  struct Change {
    const char* action;
    QueueMode mode;
  };

  asio::awaitable<Result<void>> RunSet(Caller caller, Change change, v1::QueueStatus* response);
  asio::awaitable<Result<void>> RunGet(Caller caller, v1::QueueStatus* response);
  void Fill(const QueueStatus& status, v1::QueueStatus* response) const;

  Endpoint endpoint_;
  Queue& queue_;
  const DaemonInfo& info_;
  const Audit& audit_;
};

}  // namespace benchd::rpc
