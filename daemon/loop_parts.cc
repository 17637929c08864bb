#include "daemon/loop_parts.h"

#include <sched.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

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

namespace {

std::set<pid_t> Threads() {
  std::set<pid_t> threads;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) threads.insert(thread);
  }
  return threads;
}

}  // namespace

Result<void> ConfineProcess(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  // A thread that is not confined yet may start another, so repeat until there are no new ones.
  std::set<pid_t> confined;
  for (std::set<pid_t> threads = Threads(); threads != confined; threads = Threads()) {
    for (const pid_t thread : threads) {
      // ESRCH: the thread has exited meanwhile.
      if (::sched_setaffinity(thread, sizeof(set), &set) != 0 && errno != ESRCH) {
        return SystemError("moving benchd to its CPUs", errno);
      }
    }
    confined = std::move(threads);
  }
  return {};
}

}  // namespace benchd
