#include "daemon/rpc/reserve_reactor.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "daemon/rpc/queue_proto.h"
#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {
namespace {

constexpr std::chrono::seconds kBetweenMessages{1};

}  // namespace

ReserveReactor::ReserveReactor(const ReserveSources& sources, std::optional<Caller> caller,
                               v1::ReserveRequest request)
    : StreamReactor(sources.endpoint, std::move(caller)),
      sources_(sources),
      request_(std::move(request)),
      timer_(sources.endpoint.loop) {
  Begin();
}

void ReserveReactor::Started() {
  Result<Nanoseconds> wanted = FromProto(request_);
  if (!wanted) return Refuse(wanted.error());
  wanted_ = *wanted;
  Result<MachineController::Reservation> reservation =
      sources_.controller.Reserve(caller(), [this] { Held(); });
  if (!reservation) return Refuse(reservation.error());
  reservation_.emplace(std::move(reservation).value());
  due_ = true;
  Tell();
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
  // The next session need not wait until the client has read the last word.
  if (over_) GiveUp();
  Tell();
  if (over_) return;
  timer_.expires_at(std::min(now + kBetweenMessages, *end_));
  timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) Tick();
  });
}

void ReserveReactor::Written() { Tell(); }

void ReserveReactor::Ended() {
  timer_.cancel();
  GiveUp();
}

void ReserveReactor::GiveUp() {
  if (reservation_ && end_) sources_.audit.NoteOk(caller(), "reserve-end");
  reservation_.reset();
}

void ReserveReactor::Tell() {
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

}  // namespace benchd::rpc
