#include "daemon/rpc/queue_service.h"

#include <utility>

#include "daemon/rpc/queue_proto.h"

namespace benchd::rpc {

QueueService::QueueService(const Endpoint& endpoint, Queue& queue, const DaemonInfo& info,
                           const Audit& audit)
    : endpoint_(endpoint), queue_(queue), info_(info), audit_(audit) {}

grpc::ServerUnaryReactor* QueueService::Pause(grpc::CallbackServerContext* context,
                                              const v1::PauseRequest* /*request*/,
                                              v1::QueueStatus* response) {
  return Set(context, {"pause", {.paused = true, .draining = false}}, response);
}

grpc::ServerUnaryReactor* QueueService::Resume(grpc::CallbackServerContext* context,
                                               const v1::ResumeRequest* /*request*/,
                                               v1::QueueStatus* response) {
  return Set(context, {"resume", {.paused = false, .draining = false}}, response);
}

grpc::ServerUnaryReactor* QueueService::Drain(grpc::CallbackServerContext* context,
                                              const v1::DrainRequest* /*request*/,
                                              v1::QueueStatus* response) {
  return Set(context, {"drain", {.paused = true, .draining = true}}, response);
}

grpc::ServerUnaryReactor* QueueService::Get(grpc::CallbackServerContext* context,
                                            const v1::GetQueueRequest* /*request*/,
                                            v1::QueueStatus* response) {
  return Answer(endpoint_, context,
                [this, response](const Caller& /*anybody*/) { return RunGet(response); });
}

grpc::ServerUnaryReactor* QueueService::Set(grpc::CallbackServerContext* context, Change change,
                                            v1::QueueStatus* response) {
  return Answer(endpoint_, context, [this, change, response](Caller caller) {
    return RunSet(std::move(caller), change, response);
  });
}

asio::awaitable<Result<void>> QueueService::RunSet(Caller caller, Change change,
                                                   v1::QueueStatus* response) {
  const Result<QueueStatus> status = co_await queue_.SetMode(caller, change.mode);
  audit_.Note(caller, change.action, "", status);
  if (!status) co_return status.error();
  Fill(*status, response);
  co_return Result<void>();
}

asio::awaitable<Result<void>> QueueService::RunGet(v1::QueueStatus* response) {
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
