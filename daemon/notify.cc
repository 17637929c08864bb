#include "daemon/notify.h"

#include <systemd/sd-daemon.h>

#include <cstdint>
#include <system_error>

namespace benchd {

Notifier::Notifier(const asio::any_io_executor& loop) : timer_(loop) {}

void Notifier::Ready() {
  ::sd_notify(0, "READY=1");
  std::uint64_t limit_us = 0;
  if (::sd_watchdog_enabled(0, &limit_us) <= 0) return;
  interval_ = std::chrono::microseconds(limit_us / 2);
  Beat();
}

void Notifier::Stopping() { ::sd_notify(0, "STOPPING=1"); }

void Notifier::Stop() {
  interval_ = {};  // a beat whose timer has already expired may still come
  timer_.cancel();
}

void Notifier::Beat() {
  if (interval_ == interval_.zero()) return;
  ::sd_notify(0, "WATCHDOG=1");
  timer_.expires_after(interval_);
  timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) Beat();
  });
}

}  // namespace benchd
