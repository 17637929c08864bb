#include "daemon/rpc/live_calls.h"

#include <utility>

namespace benchd::rpc {

LiveCalls::Token LiveCalls::Begin(std::function<void()> on_close) {
  const std::uint64_t key = next_key_++;
  calls_.emplace(key, std::move(on_close));
  return Token(this, key);
}

void LiveCalls::Close() {
  closed_ = true;
  // A call may end and remove its entry during the notification.
  for (std::uint64_t key = 0; key < next_key_;) {
    const auto it = calls_.lower_bound(key);
    if (it == calls_.end()) return;
    key = it->first + 1;
    const std::function<void()> on_close = std::exchange(it->second, nullptr);
    if (on_close) on_close();
  }
}

}  // namespace benchd::rpc
