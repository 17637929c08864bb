#include "daemon/rpc/machine_service.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/try.h"
#include "daemon/rpc/queue_proto.h"
#include "daemon/rpc/status_mapping.h"
#include "proto/convert/convert.h"

namespace benchd::rpc {
namespace {

constexpr std::chrono::seconds kBetweenMessages{1};

}  // namespace

ReserveReactor::ReserveReactor(const ReserveSources& sources, Entry entry,
                               v1::ReserveRequest request)
    : StreamReactor(sources.endpoint, std::move(entry)),
      sources_(sources),
      request_(std::move(request)),
      timer_(sources.endpoint.loop_of(caller().uid)) {
  Begin();
}

void ReserveReactor::Started() {
  Result<Nanoseconds> wanted = FromProto(request_);
  if (!wanted) return Refuse(wanted.error());
  wanted_ = *wanted;
  Result<MachineController::Reservation> reservation =
      sources_.controller.Reserve(caller(), wanted_, [this] { Held(); });
  if (!reservation) return Refuse(reservation.error());
  reservation_.emplace(std::move(reservation).value());
  due_ = true;
  SendState();
}

void ReserveReactor::Refuse(const Error& error) {
  sources_.audit.Note(caller(), "reserve", "", Result<void>(error));
  End(ToStatus(error));
}

void ReserveReactor::Held() {
  sources_.audit.NoteOk(caller(), "reserve-begin");
  end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(wanted_);
  Tick();
}

void ReserveReactor::Tick() {
  if (ended()) return;
  const Clock::time_point now = Clock::now();
  due_ = true;
  over_ = now >= *end_;
  // Do not let the next session wait until the client has read the last message.
  if (over_) GiveUp();
  SendState();
  if (over_) return;
  timer_.expires_at(std::min(now + kBetweenMessages, *end_));
  timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) Tick();
  });
}

void ReserveReactor::Written() { SendState(); }

void ReserveReactor::Ended() {
  timer_.cancel();
  GiveUp();
}

void ReserveReactor::GiveUp() {
  if (reservation_ && end_) sources_.audit.NoteOk(caller(), "reserve-end");
  reservation_.reset();
}

void ReserveReactor::SendState() {
  if (!due_ || writing() || ended()) return;
  due_ = false;
  message().set_held(end_.has_value());
  if (end_) {
    const std::chrono::duration<double> left = *end_ - Clock::now();
    message().set_remaining_seconds(std::max(0.0, left.count()));
  }
  if (over_) return WriteLast();
  Write();
}

MachineService::MachineService(const Endpoint& endpoint, MachineController& controller,
                               const Audit& audit)
    : endpoint_(endpoint),
      controller_(controller),
      audit_(audit),
      reserve_{endpoint, controller, audit} {}

asio::awaitable<Result<void>> MachineService::RunGet(Caller /*anybody*/, Cancelled cancelled,
                                                     const v1::GetMachineRequest* request,
                                                     v1::MachineStatus* response) {
  std::string profile = request->profile();
  CO_TRY(MachineView view, co_await controller_.Describe(std::move(profile), std::move(cancelled)));
  ToProto(view, response);
  co_return Result<void>();
}

asio::awaitable<Result<void>> MachineService::RunDoctor(Caller /*anybody*/, Cancelled cancelled,
                                                        v1::DoctorResponse* response) {
  CO_TRY(std::vector<NoiseSource> sources, co_await controller_.Diagnose(std::move(cancelled)));
  for (const NoiseSource& source : sources) convert::ToProto(source, response->add_sources());
  co_return Result<void>();
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

asio::awaitable<Result<void>> MachineService::RunRestore(Caller caller, Cancelled cancelled,
                                                         v1::MachineStatus* response) {
  Result<MachineStatus> status = co_await controller_.Restore(caller, std::move(cancelled));
  audit_.Note(caller, "restore", "", status);
  if (!status) co_return std::move(status).error();
  ToProto(MachineView{*std::move(status), std::nullopt}, response);
  co_return Result<void>();
}

grpc::ServerWriteReactor<v1::ReserveResponse>* MachineService::Reserve(
    Context* context, const v1::ReserveRequest* request) {
  return new ReserveReactor(reserve_, endpoint_.Enter(*context, *request), *request);
}

}  // namespace benchd::rpc
