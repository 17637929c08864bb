#include "daemon/rpc/queue_service.h"

#include <utility>

#include "daemon/rpc/queue_proto.h"

namespace benchd::rpc {

QueueService::QueueService(const Endpoint& endpoint, Queue& queue, const DaemonInfo& info,
                           const Audit& audit)
    : endpoint_(endpoint), queue_(queue), info_(info), audit_(audit) {}

asio::awaitable<Result<void>> QueueService::RunSet(Caller caller, Change change,
                                                   v1::QueueStatus* response) {
  const Result<QueueStatus> status = co_await queue_.SetMode(caller, change.mode);
  audit_.Note(caller, change.action, "", status);
  if (!status) co_return status.error();
  Fill(*status, response);
  co_return Result<void>();
}

asio::awaitable<Result<void>> QueueService::RunGet(Caller /*anybody*/, v1::QueueStatus* response) {
  Fill(queue_.Status(), response);
  co_return Result<void>();
}

void QueueService::Fill(const QueueStatus& status, v1::QueueStatus* response) const {
  ToProto(status, response);
  response->set_version(info_.version);
  response->set_pid(info_.pid);
  for (const int cpu : info_.housekeeping_cpus) response->add_housekeeping_cpus(cpu);
}

}  // namespace benchd::rpc
