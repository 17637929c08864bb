#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>

namespace benchd {

/// Sends notifications to systemd (Type=notify): READY, a heartbeat from the loop, and STOPPING.
/// Does nothing without systemd.
///
/// Lives on the loop's thread, so that a loop that hangs misses its heartbeat; must outlive the
/// loop's run.
class Notifier {
 public:
  explicit Notifier(const asio::any_io_executor& loop);

  /// Sends READY=1, then WATCHDOG=1 at half the interval that systemd requests, if any.
  void Ready();
  /// Sends STOPPING=1; the heartbeat continues until Stop().
  void Stopping();
  void Stop();

 private:
  void Beat();

  asio::steady_timer timer_;
  std::chrono::microseconds interval_{};
};

}  // namespace benchd
