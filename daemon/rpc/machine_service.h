#pragma once

#include <asio/steady_timer.hpp>
#include <optional>

#include "benchd/v1/machine.grpc.pb.h"
#include "benchd/v1/machine.pb.h"
#include "core/base/time.h"
#include "daemon/queue/machine_controller.h"
#include "daemon/rpc/audit.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/stream_reactor.h"

namespace benchd::rpc {

/// The dependencies of a reservation. The references must outlive the server.
struct ReserveSources {
  Endpoint endpoint;
  MachineController& controller;
  const Audit& audit;
};

/// The stream of MachineService.Reserve. It sends "not yet" at once. When the caller holds the
/// machine, it sends the remaining time about once per second, until the time is over or the client
/// disconnects.
///
/// A client that does not read occupies the memory of one message, and does not hold the machine
/// beyond its time.
class ReserveReactor final : public StreamReactor<v1::ReserveResponse> {
 public:
  ReserveReactor(const ReserveSources& sources, Entry entry, v1::ReserveRequest request);

 private:
  using Clock = asio::steady_timer::clock_type;

  void Started() override;
  void Written() override;
  void Ended() override;
  void Refuse(const Error& error);
  void Held();
  void GiveUp();
  void Tick();
  void SendState();

  const ReserveSources& sources_;
  const v1::ReserveRequest request_;
  std::optional<MachineController::Reservation> reservation_;
  asio::steady_timer timer_;
  Nanoseconds wanted_{};
  std::optional<Clock::time_point> end_;  // set when the machine is held
  bool due_ = false;                      // a message must be sent
  bool over_ = false;
};

/// benchd.v1.MachineService; gRPC calls the public methods on its threads.
class MachineService final : public v1::MachineService::CallbackService {
 public:
  /// References must outlive the server.
  MachineService(const Endpoint& endpoint, MachineController& controller, const Audit& audit);

  UnaryReactor* Get(Context* context, const v1::GetMachineRequest* request,
                    v1::MachineStatus* response) override {
    return Answer(endpoint_, context, request, this, &MachineService::RunGet, CancelledOf(context),
                  request, response);
  }
  UnaryReactor* Doctor(Context* context, const v1::DoctorRequest* request,
                       v1::DoctorResponse* response) override {
    return Answer(endpoint_, context, request, this, &MachineService::RunDoctor,
                  CancelledOf(context), response);
  }
  UnaryReactor* Apply(Context* context, const v1::ApplyRequest* request,
                      v1::MachineStatus* response) override {
    return Answer(endpoint_, context, request, this, &MachineService::RunApply,
                  CancelledOf(context), request, response);
  }
  UnaryReactor* Restore(Context* context, const v1::RestoreRequest* request,
                        v1::MachineStatus* response) override {
    return Answer(endpoint_, context, request, this, &MachineService::RunRestore,
                  CancelledOf(context), response);
  }
  grpc::ServerWriteReactor<v1::ReserveResponse>* Reserve(
      Context* context, const v1::ReserveRequest* request) override;

 private:
  using Cancelled = MachineController::Cancelled;

  /// Returns a check for a disconnected client. A call may wait long for its turn, and does nothing
  /// if its client has disconnected by then.
  static Cancelled CancelledOf(const Context* context) {
    return [context] { return context->IsCancelled(); };
  }

  asio::awaitable<Result<void>> RunGet(Caller anybody, Cancelled cancelled,
                                       const v1::GetMachineRequest* request,
                                       v1::MachineStatus* response);
  asio::awaitable<Result<void>> RunDoctor(Caller anybody, Cancelled cancelled,
                                          v1::DoctorResponse* response);
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
