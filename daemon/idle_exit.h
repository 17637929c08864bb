#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace benchd {

/// Ends a user daemon that has been idle for too long.
///
/// Checks once per interval, so the daemon ends after one to two idle intervals. Lives on the
/// loop's thread; must outlive the loop's run.
class IdleExit {
 public:
  /// Returns a number that increases with any activity; empty if the daemon is busy now.
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
