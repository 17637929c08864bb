#include "daemon/rpc/watch_reactor.h"

#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::rpc {
namespace {

WatchFeed::Kind FinalKind(SessionState state) {
  if (state == SessionState::kFailed) return WatchFeed::Kind::kFailed;
  if (state == SessionState::kCancelled) return WatchFeed::Kind::kCancelled;
  return WatchFeed::Kind::kVerdict;
}

}  // namespace

void WatchFeed::Offer(Snapshot newest) { newest_ = std::move(newest); }

std::optional<WatchFeed::Event> WatchFeed::Next(SteadyTime now, Occasion occasion) {
  if (newest_ == nullptr || final_sent_) return std::nullopt;
  if (newest_->machine && !started_sent_) {
    started_sent_ = anything_sent_ = true;
    return Event{Kind::kStarted, newest_};
  }
  if (IsFinal(newest_->state)) {
    final_sent_ = true;
    return Event{FinalKind(newest_->state), newest_};
  }
  if (QueuedIsDue()) {
    queued_sent_ = newest_;
    anything_sent_ = true;
    return Event{Kind::kQueued, newest_};
  }
  if (UpdateIsDue(now, occasion)) {
    update_sent_ = newest_;
    update_sent_at_ = now;
    return Event{Kind::kUpdate, newest_};
  }
  return std::nullopt;
}

// A watcher that joins while the session prepares receives "queued" at position 0, because the
// first snapshot must produce an event.
bool WatchFeed::QueuedIsDue() const {
  if (newest_->state != SessionState::kQueued) return !anything_sent_;
  return queued_sent_ == nullptr || queued_sent_->position != newest_->position ||
         queued_sent_->eta != newest_->eta;
}

bool WatchFeed::UpdateIsDue(SteadyTime now, Occasion occasion) const {
  // Before the first report, only a pause or resume of the session is news.
  const auto pauses = [](const Snapshot& s) { return s && s->state == SessionState::kPaused; };
  if (!newest_->report && !pauses(newest_) && !pauses(update_sent_)) return false;
  if (update_sent_ == newest_) return false;
  if (update_sent_ == nullptr || update_sent_->state != newest_->state) return true;
  return occasion == Occasion::kPublication && now - update_sent_at_ >= kMinInterval;
}

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
      return convert::ToProto(snapshot, seed, to->mutable_started());
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

WatchReactor::WatchReactor(const WatchSources& sources, Entry entry, std::string session)
    : StreamReactor(sources.endpoint, std::move(entry)),
      sources_(sources),
      session_(std::move(session)) {
  Begin();
}

asio::awaitable<Result<void>> WatchReactor::Open() {
  CO_TRY(SessionRecord record, co_await sources_.find(caller(), session_, gone()));
  if (ended()) co_return Result<void>();
  seed_ = record.spec.seed;
  subscription_ = sources_.hub.Subscribe(record.snapshot.id, [this](const auto& snapshot) {
    feed_.Offer(snapshot);
    Pump(WatchFeed::Occasion::kPublication);
  });
  feed_.Offer(std::make_shared<const SessionSnapshot>(std::move(record.snapshot)));
  Pump(WatchFeed::Occasion::kPublication);
  co_return Result<void>();
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
