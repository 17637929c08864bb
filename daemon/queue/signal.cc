#include "daemon/queue/signal.h"

#include <utility>
#include <vector>

namespace benchd {

void Signal::Notify() {
  timer_.cancel();
  ++count_;
  // A subscriber may subscribe or unsubscribe any subscriber, even itself, while it is called.
  std::vector<std::uint64_t> keys;
  for (const auto& [key, told] : subscribers_) keys.push_back(key);
  for (const std::uint64_t key : keys) {
    const auto found = subscribers_.find(key);
    if (found == subscribers_.end()) continue;
    const std::function<void()> told = found->second;
    told();
  }
}

Signal::Subscription Signal::Subscribe(std::function<void()> told) {
  const std::uint64_t key = next_key_++;
  subscribers_.emplace(key, std::move(told));
  return Subscription(this, key);
}

}  // namespace benchd
