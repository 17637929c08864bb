#pragma once

#include "benchd/v1/machine.grpc.pb.h"
#include "daemon/queue/machine_controller.h"
#include "daemon/rpc/audit.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/reserve_reactor.h"

namespace benchd::rpc {

/// benchd.v1.MachineService; gRPC calls the public methods on its threads.
class MachineService final : public v1::MachineService::CallbackService {
 public:
  /// References outlive the server.
  MachineService(const Endpoint& endpoint, MachineController& controller, const Audit& audit);

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetMachineRequest* request,
                                v1::MachineStatus* response) override;
  grpc::ServerUnaryReactor* Doctor(grpc::CallbackServerContext* context,
                                   const v1::DoctorRequest* request,
                                   v1::DoctorResponse* response) override;
  grpc::ServerUnaryReactor* Apply(grpc::CallbackServerContext* context,
                                  const v1::ApplyRequest* request,
                                  v1::MachineStatus* response) override;
  grpc::ServerUnaryReactor* Restore(grpc::CallbackServerContext* context,
                                    const v1::RestoreRequest* request,
                                    v1::MachineStatus* response) override;
  grpc::ServerWriteReactor<v1::ReserveResponse>* Reserve(
      grpc::CallbackServerContext* context, const v1::ReserveRequest* request) override;

 private:
  using Cancelled = MachineController::Cancelled;

  // Requests, responses and contexts live until the call is finished, so longer than these
  // coroutines.
  asio::awaitable<Result<void>> RunGet(Cancelled cancelled, const v1::GetMachineRequest* request,
                                       v1::MachineStatus* response);
  asio::awaitable<Result<void>> RunDoctor(Cancelled cancelled, v1::DoctorResponse* response);
  asio::awaitable<Result<void>> RunApply(Caller caller, Cancelled cancelled,
                                         const v1::ApplyRequest* request,
                                         v1::MachineStatus* response);
  asio::awaitable<Result<void>> RunRestore(Caller caller, Cancelled cancelled,
                                           v1::MachineStatus* response);

  Endpoint endpoint_;
  MachineController& controller_;
  const Audit& audit_;
  ReserveSources reserve_;
};

}  // namespace benchd::rpc
