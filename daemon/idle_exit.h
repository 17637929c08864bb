#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace benchd {

/// Ends a daemon that nobody needs any more: one that benchctl started goes by itself.
///
/// Looks once an interval, so it ends after one to two of them without anything to do. Lives on the
/// loop's thread; must outlive the loop's run.
class IdleExit {
 public:
  /// Anything that went on since the last look makes this number grow; nothing when busy right now.
  using Activity = std::function<std::optional<std::uint64_t>()>;

  IdleExit(const asio::any_io_executor& loop, std::chrono::milliseconds interval, Activity activity,
           std::function<void()> on_idle);

  void Start();
  void Stop();

 private:
  void Wait();
  void Look();

  asio::steady_timer timer_;
  std::chrono::milliseconds interval_;
  Activity activity_;
  std::function<void()> on_idle_;
  std::optional<std::uint64_t> last_;
  bool stopped_ = false;
};

}  // namespace benchd
