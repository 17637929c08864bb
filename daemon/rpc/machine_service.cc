#include "daemon/rpc/machine_service.h"

#include "daemon/rpc/endpoint.h"

namespace benchd::rpc {
namespace {

grpc::ServerUnaryReactor* Refuse(grpc::CallbackServerContext* context, const char* what) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(NotOffered(what));
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* MachineService::Get(grpc::CallbackServerContext* context,
                                              const v1::GetMachineRequest* /*request*/,
                                              v1::MachineStatus* /*response*/) {
  return Refuse(context, "machine status");
}

grpc::ServerUnaryReactor* MachineService::Doctor(grpc::CallbackServerContext* context,
                                                 const v1::DoctorRequest* /*request*/,
                                                 v1::DoctorResponse* /*response*/) {
  return Refuse(context, "doctor");
}

grpc::ServerUnaryReactor* MachineService::Apply(grpc::CallbackServerContext* context,
                                                const v1::ApplyRequest* /*request*/,
                                                v1::MachineStatus* /*response*/) {
  return Refuse(context, "apply");
}

grpc::ServerUnaryReactor* MachineService::Restore(grpc::CallbackServerContext* context,
                                                  const v1::RestoreRequest* /*request*/,
                                                  v1::MachineStatus* /*response*/) {
  return Refuse(context, "restore");
}

grpc::ServerWriteReactor<v1::ReserveResponse>* MachineService::Reserve(
    grpc::CallbackServerContext* /*context*/, const v1::ReserveRequest* /*request*/) {
  return new Refusal<grpc::ServerWriteReactor<v1::ReserveResponse>>(NotOffered("reserve"));
}

}  // namespace benchd::rpc
