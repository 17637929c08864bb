#include "daemon/rpc/machine_service.h"

#include <string>
#include <utility>

#include "daemon/rpc/queue_proto.h"
#include "proto/convert/to_proto.h"

namespace benchd::rpc {
namespace {

/// A call may wait long for its turn: who has gone meanwhile gets nothing done.
MachineController::Cancelled CancelledOf(const grpc::CallbackServerContext* context) {
  return [context] { return context->IsCancelled(); };
}

}  // namespace

MachineService::MachineService(const Endpoint& endpoint, MachineController& controller,
                               const Audit& audit)
    : endpoint_(endpoint),
      controller_(controller),
      audit_(audit),
      reserve_{endpoint, controller, audit} {}

grpc::ServerUnaryReactor* MachineService::Get(grpc::CallbackServerContext* context,
                                              const v1::GetMachineRequest* request,
                                              v1::MachineStatus* response) {
  return Answer(endpoint_, context, [this, context, request, response](const Caller& /*anybody*/) {
    return RunGet(CancelledOf(context), request, response);
  });
}

asio::awaitable<Result<void>> MachineService::RunGet(Cancelled cancelled,
                                                     const v1::GetMachineRequest* request,
                                                     v1::MachineStatus* response) {
  std::string profile = request->profile();
  Result<MachineView> view =
      co_await controller_.Describe(std::move(profile), std::move(cancelled));
  if (!view) co_return std::move(view).error();
  ToProto(*view, response);
  co_return Result<void>();
}

grpc::ServerUnaryReactor* MachineService::Doctor(grpc::CallbackServerContext* context,
                                                 const v1::DoctorRequest* /*request*/,
                                                 v1::DoctorResponse* response) {
  return Answer(endpoint_, context, [this, context, response](const Caller& /*anybody*/) {
    return RunDoctor(CancelledOf(context), response);
  });
}

asio::awaitable<Result<void>> MachineService::RunDoctor(Cancelled cancelled,
                                                        v1::DoctorResponse* response) {
  Result<std::vector<NoiseSource>> sources = co_await controller_.Diagnose(std::move(cancelled));
  if (!sources) co_return std::move(sources).error();
  for (const NoiseSource& source : *sources) convert::ToProto(source, response->add_sources());
  co_return Result<void>();
}

grpc::ServerUnaryReactor* MachineService::Apply(grpc::CallbackServerContext* context,
                                                const v1::ApplyRequest* request,
                                                v1::MachineStatus* response) {
  return Answer(endpoint_, context, [this, context, request, response](Caller caller) {
    return RunApply(std::move(caller), CancelledOf(context), request, response);
  });
}

asio::awaitable<Result<void>> MachineService::RunApply(Caller caller, Cancelled cancelled,
                                                       const v1::ApplyRequest* request,
                                                       v1::MachineStatus* response) {
  std::string profile = request->profile();
  Result<MachineStatus> status =
      co_await controller_.Apply(caller, std::move(profile), std::move(cancelled));
  audit_.Note(caller, "apply", "", status);
  if (!status) co_return std::move(status).error();
  ToProto(MachineView{*std::move(status), std::nullopt}, response);
  co_return Result<void>();
}

grpc::ServerUnaryReactor* MachineService::Restore(grpc::CallbackServerContext* context,
                                                  const v1::RestoreRequest* /*request*/,
                                                  v1::MachineStatus* response) {
  return Answer(endpoint_, context, [this, context, response](Caller caller) {
    return RunRestore(std::move(caller), CancelledOf(context), response);
  });
}

asio::awaitable<Result<void>> MachineService::RunRestore(Caller caller, Cancelled cancelled,
                                                         v1::MachineStatus* response) {
  Result<MachineStatus> status = co_await controller_.Restore(caller, std::move(cancelled));
  audit_.Note(caller, "restore", "", status);
  if (!status) co_return std::move(status).error();
  ToProto(MachineView{*std::move(status), std::nullopt}, response);
  co_return Result<void>();
}

grpc::ServerWriteReactor<v1::ReserveResponse>* MachineService::Reserve(
    grpc::CallbackServerContext* context, const v1::ReserveRequest* request) {
  return new ReserveReactor(reserve_, endpoint_.Identify(*context), *request);
}

}  // namespace benchd::rpc
