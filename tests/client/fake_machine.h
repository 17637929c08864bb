#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "benchd/v1/machine.grpc.pb.h"

namespace benchd::client {

/// The machine service of a FakeDaemon. Returns the answers that the test has set.
class FakeMachine : public v1::MachineService::Service {
 public:
  void SetStatus(v1::MachineStatus status);
  void SetSources(v1::DoctorResponse sources);
  /// The status that every call except Reserve returns instead.
  void Refuse(grpc::Status status);
  /// The messages that Reserve sends. Without `ends`, the reservation lasts afterwards.
  void SetReservation(std::vector<v1::ReserveResponse> script, bool ends);

  /// "get PROFILE", "doctor", "apply PROFILE", "restore", "reserve SECONDS"
  std::vector<std::string> asked() const;
  /// Blocks until the script of a reservation has been sent.
  void AwaitReservation();
  /// Ends an active reservation.
  void Stop();

  grpc::Status Get(grpc::ServerContext*, const v1::GetMachineRequest* request,
                   v1::MachineStatus* response) override;
  grpc::Status Doctor(grpc::ServerContext*, const v1::DoctorRequest*,
                      v1::DoctorResponse* response) override;
  grpc::Status Apply(grpc::ServerContext*, const v1::ApplyRequest* request,
                     v1::MachineStatus* response) override;
  grpc::Status Restore(grpc::ServerContext*, const v1::RestoreRequest*,
                       v1::MachineStatus* response) override;
  grpc::Status Reserve(grpc::ServerContext* context, const v1::ReserveRequest* request,
                       grpc::ServerWriter<v1::ReserveResponse>* writer) override;

 private:
  grpc::Status Answer(const std::string& asked, v1::MachineStatus* response);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  v1::MachineStatus status_;
  v1::DoctorResponse sources_;
  grpc::Status refusal_;
  std::vector<v1::ReserveResponse> reservation_;
  bool ends_ = true;
  bool reserved_ = false;
  bool stopping_ = false;
  std::vector<std::string> asked_;
};

}  // namespace benchd::client
