#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "core/base/held.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Publishes every new state of a session to its watchers. Lives on the loop's thread.
///
/// A watcher is called with the newest snapshot, never with a backlog, and decides what to send:
/// rpc/ keeps one snapshot and one write in flight per stream.
class EventHub {
 public:
  /// Shared between the hub's caller and all watchers, and never modified.
  using Snapshot = std::shared_ptr<const SessionSnapshot>;
  using Watcher = std::function<void(const Snapshot&)>;

  /// Unsubscribes when destroyed. Must not outlive the hub.
  using Subscription = Held<EventHub>;

  /// Calls `watcher` for every snapshot of `id` that is published from now on.
  [[nodiscard]] Subscription Subscribe(SessionId id, Watcher watcher);

  /// Calls the watchers of snapshot.id, in the order of their subscriptions.
  void Publish(SessionSnapshot snapshot);

  /// Returns the sessions that have a watcher.
  std::set<SessionId> Watched() const;

  /// Returns the number of watchers of a session, for tests and limits.
  std::size_t WatcherCount(const SessionId& id) const;

 private:
  friend Subscription;
  void GiveUp(std::uint64_t key) { watchers_.erase(key); }

  struct Entry {
    SessionId id;
    Watcher watcher;
  };
  std::map<std::uint64_t, Entry> watchers_;
  std::uint64_t next_key_ = 1;
};

}  // namespace benchd
