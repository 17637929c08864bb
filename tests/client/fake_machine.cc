#include "tests/client/fake_machine.h"

#include <chrono>
#include <utility>

namespace benchd::client {

void FakeMachine::SetStatus(v1::MachineStatus status) {
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

void FakeMachine::SetSources(v1::DoctorResponse sources) {
  const std::lock_guard lock(mutex_);
  sources_ = std::move(sources);
}

void FakeMachine::Refuse(grpc::Status status) {
  const std::lock_guard lock(mutex_);
  refusal_ = std::move(status);
}

void FakeMachine::SetReservation(std::vector<v1::ReserveResponse> script, bool ends) {
  const std::lock_guard lock(mutex_);
  reservation_ = std::move(script);
  ends_ = ends;
}

std::vector<std::string> FakeMachine::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void FakeMachine::AwaitReservation() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return reserved_; });
}

void FakeMachine::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

grpc::Status FakeMachine::Answer(const std::string& asked, v1::MachineStatus* response) {
  const std::lock_guard lock(mutex_);
  asked_.push_back(asked);
  if (refusal_.ok()) *response = status_;
  return refusal_;
}

grpc::Status FakeMachine::Get(grpc::ServerContext*, const v1::GetMachineRequest* request,
                              v1::MachineStatus* response) {
  return Answer("get " + request->profile(), response);
}

grpc::Status FakeMachine::Doctor(grpc::ServerContext*, const v1::DoctorRequest*,
                                 v1::DoctorResponse* response) {
  const std::lock_guard lock(mutex_);
  asked_.emplace_back("doctor");
  if (refusal_.ok()) *response = sources_;
  return refusal_;
}

grpc::Status FakeMachine::Apply(grpc::ServerContext*, const v1::ApplyRequest* request,
                                v1::MachineStatus* response) {
  return Answer("apply " + request->profile(), response);
}

grpc::Status FakeMachine::Restore(grpc::ServerContext*, const v1::RestoreRequest*,
                                  v1::MachineStatus* response) {
  return Answer("restore", response);
}

grpc::Status FakeMachine::Reserve(grpc::ServerContext* context, const v1::ReserveRequest* request,
                                  grpc::ServerWriter<v1::ReserveResponse>* writer) {
  std::unique_lock lock(mutex_);
  asked_.push_back("reserve " + std::to_string(request->seconds()));
  if (!refusal_.ok()) return refusal_;
  for (const v1::ReserveResponse& response : reservation_) writer->Write(response);
  reserved_ = true;
  changed_.notify_all();
  // A disconnecting client wakes no thread here, so check for it periodically.
  while (!ends_ && !stopping_ && !context->IsCancelled()) {
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  }
  return grpc::Status::OK;
}

}  // namespace benchd::client
