#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "core/base/time.h"
#include "core/model/session.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/stream_reactor.h"
#include "daemon/session/event_hub.h"
#include "daemon/session/ports.h"

namespace benchd::rpc {

/// Chooses the next event for a watcher: a pure function of the newest state, the events that were
/// sent, and time.
///
/// It is separate from the stream so that its guarantees can be tested: `started` is sent once and
/// before any update; updates are at least 50 ms apart; the newest state wins; the final event is
/// never dropped and comes last. Holds one snapshot, however slow the reader is.
///
/// It does not use a timer, because the daemon starts nothing on its own while a child is measured.
/// An update that comes too soon, or while a write is in flight, therefore waits for the next
/// publication. Only events that must not wait are sent when a write completes: those that the
/// first snapshot still requires, a change of state, and the final event.
class WatchFeed {
 public:
  enum class Kind { kQueued, kStarted, kUpdate, kVerdict, kFailed, kCancelled };
  enum class Occasion { kPublication, kWriteDone };
  using Snapshot = std::shared_ptr<const SessionSnapshot>;

  struct Event {
    Kind kind = Kind::kQueued;
    Snapshot snapshot;
  };

  static constexpr Nanoseconds kMinInterval = std::chrono::milliseconds(50);

  /// Sets the session's newest state, and drops an earlier one that was not sent.
  void Offer(Snapshot newest);

  /// Returns the event to send now, if any, and counts it as sent. After the final event, always
  /// returns nothing.
  std::optional<Event> Next(SteadyTime now, Occasion occasion);

  static bool IsFinalKind(Kind kind) {
    return kind == Kind::kVerdict || kind == Kind::kFailed || kind == Kind::kCancelled;
  }

 private:
  bool QueuedIsDue() const;
  bool UpdateIsDue(SteadyTime now, Occasion occasion) const;

  Snapshot newest_;
  bool anything_sent_ = false;
  bool started_sent_ = false;
  bool final_sent_ = false;
  Snapshot queued_sent_;
  Snapshot update_sent_;
  SteadyTime update_sent_at_{};
};

/// Finds a session that the caller may see (Queue::Get). Loop's thread.
using FindSession = std::function<asio::awaitable<Result<SessionRecord>>(
    Caller caller, std::string id_prefix, std::stop_token gone)>;

/// The dependencies of a watch. The references must outlive the server.
struct WatchSources {
  Endpoint endpoint;
  EventHub& hub;
  const Clock& clock;
  FindSession find;
};

/// The stream of SessionService.Watch: sends a snapshot, then the newest state at most 20 times per
/// second, and the final event last. A client that does not read occupies the memory of one
/// snapshot and one message.
class WatchReactor final : public StreamReactor<v1::SessionEvent> {
 public:
  WatchReactor(const WatchSources& sources, Entry entry, std::string session);

 private:
  void Started() override {
    Await([this] { return Open(); });
  }
  void Written() override;
  void Ended() override;
  asio::awaitable<Result<void>> Open();
  void Pump(WatchFeed::Occasion occasion);

  const WatchSources& sources_;
  const std::string session_;
  std::uint64_t seed_ = 0;
  WatchFeed feed_;
  EventHub::Subscription subscription_;
};

}  // namespace benchd::rpc
