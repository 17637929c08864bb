#include "daemon/session/event_hub.h"

#include <utility>
#include <vector>

namespace benchd {

EventHub::Subscription EventHub::Subscribe(SessionId id, Watcher watcher) {
  const std::uint64_t key = next_key_++;
  watchers_.emplace(key, Entry{std::move(id), std::move(watcher)});
  return Subscription(this, key);
}

void EventHub::Publish(SessionSnapshot snapshot) {
  const Snapshot shared = std::make_shared<const SessionSnapshot>(std::move(snapshot));
  // A watcher may subscribe or unsubscribe watchers while it is called, including itself.
  std::vector<std::uint64_t> keys;
  for (const auto& [key, entry] : watchers_) {
    if (entry.id == shared->id) keys.push_back(key);
  }
  for (const std::uint64_t key : keys) {
    const auto it = watchers_.find(key);
    if (it == watchers_.end()) continue;
    const Watcher watcher = it->second.watcher;
    watcher(shared);
  }
}

std::set<SessionId> EventHub::Watched() const {
  std::set<SessionId> ids;
  for (const auto& [key, entry] : watchers_) ids.insert(entry.id);
  return ids;
}

std::size_t EventHub::WatcherCount(const SessionId& id) const {
  std::size_t count = 0;
  for (const auto& [key, entry] : watchers_) count += entry.id == id ? 1 : 0;
  return count;
}

}  // namespace benchd
