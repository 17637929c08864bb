#include "daemon/rpc/queue_service.h"

#include "core/base/try.h"
#include "daemon/rpc/queue_proto.h"
#include "daemon/rpc/queue_watch_reactor.h"

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

asio::awaitable<Result<void>> QueueService::RunGet(Caller caller, v1::QueueStatus* response) {
  Fill(queue_.Status(), response);
  std::optional<std::uint32_t> whose = caller.uid;
  if (IsAdmin(queue_.access(), caller)) whose.reset();
  for (const auto& uses : {endpoint_.budget.Uses(whose), endpoint_.rate.Uses(whose),
                           endpoint_.peers.Uses(whose), queue_.Uses(whose)}) {
    for (const LimitUse& use : uses) ToProto(use, response->add_limits());
  }
  co_return Result<void>();
}

grpc::ServerWriteReactor<v1::QueueStatus>* QueueService::Watch(
    Context* context, const v1::WatchQueueRequest* request) {
  return new QueueWatchReactor(
      endpoint_, endpoint_.Enter(*context, *request, Limit::kWatchesAUser), queue_,
      [this](const QueueStatus& status, v1::QueueStatus* to) { Fill(status, to); });
}

void QueueService::Fill(const QueueStatus& status, v1::QueueStatus* response) const {
  ToProto(status, response);
  response->set_version(info_.version);
  response->set_pid(info_.pid);
  for (const int cpu : info_.housekeeping_cpus) response->add_housekeeping_cpus(cpu);
}

}  // namespace benchd::rpc
