#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>

namespace benchd {

/// What systemd hears of us (Type=notify): READY, a heartbeat from the loop, STOPPING. Without
/// systemd every call does nothing.
///
/// Lives on the loop's thread, so that a loop that hangs misses its beat; must outlive the loop's
/// run.
class Notifier {
 public:
  explicit Notifier(const asio::any_io_executor& loop);

  /// READY=1, then WATCHDOG=1 at half the interval that systemd asked for, if it did.
  void Ready();
  /// STOPPING=1; the heart goes on beating until Stop().
  void Stopping();
  void Stop();

 private:
  void Beat();

  asio::steady_timer timer_;
  std::chrono::microseconds interval_{};
};

}  // namespace benchd
