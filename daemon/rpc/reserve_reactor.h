#pragma once

#include <asio/steady_timer.hpp>
#include <optional>

#include "benchd/v1/machine.pb.h"
#include "core/base/time.h"
#include "daemon/queue/machine_controller.h"
#include "daemon/rpc/audit.h"
#include "daemon/rpc/stream_reactor.h"

namespace benchd::rpc {

/// What a reservation needs. The references outlive the server.
struct ReserveSources {
  Endpoint endpoint;
  MachineController& controller;
  const Audit& audit;
};

/// MachineService.Reserve: "not yet" at once; then, when the machine is the caller's, how long it
/// stays so, about once a second, until the time is over or the client goes.
///
/// A reader that does not read costs one message, and no more than its time.
class ReserveReactor final : public StreamReactor<v1::ReserveResponse> {
 public:
  ReserveReactor(const ReserveSources& sources, std::optional<Caller> caller,
                 v1::ReserveRequest request);

 private:
  using Clock = asio::steady_timer::clock_type;

  void Started() override;
  void Written() override;
  void Ended() override;
  void Refuse(const Error& error);
  void Held();
  void GiveUp();
  void Tick();
  void Tell();

  const ReserveSources& sources_;
  const v1::ReserveRequest request_;
  std::optional<MachineController::Reservation> reservation_;
  asio::steady_timer timer_;
  Nanoseconds wanted_{};
  std::optional<Clock::time_point> end_;  // once it is held
  bool due_ = false;                      // there is something to tell
  bool over_ = false;
};

}  // namespace benchd::rpc
