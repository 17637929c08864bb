#include "daemon/idle_exit.h"

#include <system_error>
#include <utility>

namespace benchd {

IdleExit::IdleExit(const asio::any_io_executor& loop, std::chrono::milliseconds interval,
                   Activity activity, std::function<void()> on_idle)
    : timer_(loop),
      interval_(interval),
      activity_(std::move(activity)),
      on_idle_(std::move(on_idle)) {}

void IdleExit::Start() {
  last_ = activity_();
  Wait();
}

void IdleExit::Stop() {
  stopped_ = true;
  timer_.cancel();
}

void IdleExit::Wait() {
  timer_.expires_after(interval_);
  timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled && !stopped_) Look();
  });
}

void IdleExit::Look() {
  const std::optional<std::uint64_t> now = activity_();
  if (now && now == last_) return on_idle_();
  last_ = now;
  Wait();
}

}  // namespace benchd
