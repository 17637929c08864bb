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
#include "daemon/ports/ports.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/session/event_hub.h"

namespace benchd::rpc {

/// Which event a watcher gets next: a pure function of the newest state, of what was sent, and of
/// time.
///
/// Exists apart from the stream so that its promises can be tested: `started` once and before any
/// update, at most one update in 50 ms, the newest state wins, the final event is never dropped and
/// comes last. Holds one snapshot, however slow the reader is.
///
/// Nothing here asks for a timer: while a child is measured the daemon starts nothing of its own,
/// so an update that comes too soon, or while a write is in flight, waits for the next publication.
/// Only what must not wait goes out when a write is done: what the first snapshot still owes, a
/// change of state, the final event.
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

  /// The session's newest state; what was not sent of the former is forgotten.
  void Offer(Snapshot newest);

  /// The event to send now, if any; it counts as sent. After a final event there is none.
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

/// What a watch reads. The references outlive the server.
struct WatchSources {
  Endpoint endpoint;
  EventHub& hub;
  const Clock& clock;
  FindSession find;
};

/// SessionService.Watch: a snapshot, then the newest state at most 20 times a second, the final
/// event last. A reader that does not read costs one snapshot and one message.
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
