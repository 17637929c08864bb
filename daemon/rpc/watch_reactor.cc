#include "daemon/rpc/watch_reactor.h"

#include <memory>
#include <utility>

#include "daemon/rpc/status_mapping.h"
#include "proto/convert/enum_values.h"
#include "proto/convert/to_proto.h"

namespace benchd::rpc {
namespace {

void ReportToProto(const SessionSnapshot& snapshot, v1::Update* to) {
  if (snapshot.report) return convert::ToProto(*snapshot.report, snapshot.state, to);
  to->set_state(convert::ToWire<v1::SessionState>(snapshot.state));
}

void FillEvent(const WatchFeed::Event& event, std::uint64_t seed, v1::SessionEvent* to) {
  const SessionSnapshot& snapshot = *event.snapshot;
  switch (event.kind) {
    case WatchFeed::Kind::kQueued:
      return convert::QueuedToProto(snapshot, to->mutable_queued());
    case WatchFeed::Kind::kStarted:
      return convert::ToProto(*snapshot.machine, seed, to->mutable_started());
    case WatchFeed::Kind::kUpdate:
      return ReportToProto(snapshot, to->mutable_update());
    case WatchFeed::Kind::kVerdict:
      return ReportToProto(snapshot, to->mutable_verdict());
    case WatchFeed::Kind::kFailed:
      return convert::ToProto(snapshot.failure.value_or(Failure{}), to->mutable_failed());
    case WatchFeed::Kind::kCancelled:
      to->mutable_cancelled()->set_by(snapshot.cancelled_by);
  }
}

}  // namespace

WatchReactor::WatchReactor(const WatchSources& sources, std::optional<Caller> caller,
                           std::string session)
    : StreamReactor(sources.endpoint, std::move(caller)),
      sources_(sources),
      session_(std::move(session)) {
  Begin();
}

void WatchReactor::Started() {
  Result<SessionRecord> record = sources_.find(caller(), session_);
  if (!record) return End(ToStatus(record.error()));
  seed_ = record->spec.seed;
  subscription_ = sources_.hub.Subscribe(record->snapshot.id, [this](const auto& snapshot) {
    feed_.Offer(snapshot);
    Pump(WatchFeed::Occasion::kPublication);
  });
  feed_.Offer(std::make_shared<const SessionSnapshot>(std::move(record->snapshot)));
  Pump(WatchFeed::Occasion::kPublication);
}

void WatchReactor::Written() { Pump(WatchFeed::Occasion::kWriteDone); }

void WatchReactor::Ended() { subscription_ = EventHub::Subscription(); }

void WatchReactor::Pump(WatchFeed::Occasion occasion) {
  if (writing() || ended()) return;
  const std::optional<WatchFeed::Event> event = feed_.Next(sources_.clock.Steady(), occasion);
  if (!event) return;
  message().Clear();
  message().set_session(event->snapshot->id.value);
  convert::ToProto(sources_.clock.Now(), message().mutable_time());
  FillEvent(*event, seed_, &message());
  if (WatchFeed::IsFinalKind(event->kind)) return WriteLast();
  Write();
}

}  // namespace benchd::rpc
