#include "daemon/notifier.h"

#include <system_error>

#include "daemon/service_manager.h"

namespace benchd {

Notifier::Notifier(const asio::any_io_executor& loop) : timer_(loop) {}

void Notifier::Ready() {
  NotifyServiceManager("READY=1");
  const auto limit = WatchdogLimit();
  if (!limit) return;
  interval_ = *limit / 2;
  Beat();
}

void Notifier::Stopping() { NotifyServiceManager("STOPPING=1"); }

void Notifier::Stop() {
  interval_ = {};  // because a heartbeat whose timer has expired may still run
  timer_.cancel();
}

void Notifier::Beat() {
  if (interval_ == interval_.zero()) return;
  NotifyServiceManager("WATCHDOG=1");
  timer_.expires_after(interval_);
  timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) Beat();
  });
}

}  // namespace benchd
