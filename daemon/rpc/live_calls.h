#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "core/base/held.h"

namespace benchd::rpc {

/// The calls in progress, which a clean stop must end and an idle exit must wait for.
///
/// Lives on the loop's thread; must outlive every call.
class LiveCalls {
 public:
  /// A call in progress, which ends when the token is destroyed.
  using Token = Held<LiveCalls>;

  /// Registers a call. `on_close` is called once when the daemon stops, and may be empty for a call
  /// that ends on its own.
  [[nodiscard]] Token Begin(std::function<void()> on_close);

  /// Notifies every call that the daemon is stopping. No call may begin afterwards.
  void Close();
  bool closed() const { return closed_; }

  std::size_t count() const { return calls_.size(); }
  /// Returns the number of calls so far; an increase between two checks means activity.
  std::uint64_t total() const { return next_key_; }

 private:
  friend Token;
  void GiveUp(std::uint64_t key) { calls_.erase(key); }

  std::map<std::uint64_t, std::function<void()>> calls_;
  std::uint64_t next_key_ = 0;
  bool closed_ = false;
};

}  // namespace benchd::rpc
