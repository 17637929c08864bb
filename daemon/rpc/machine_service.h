#pragma once

#include "benchd/v1/machine.grpc.pb.h"

namespace benchd::rpc {

/// benchd.v1.MachineService: declared, every method answers UNIMPLEMENTED with a sentence.
/// Stateless.
class MachineService final : public v1::MachineService::CallbackService {
 public:
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
};

}  // namespace benchd::rpc
