#include "daemon/launch/event_loop.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "daemon/launch/host.h"

namespace benchd {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

/// Logs an error and exits, so that the runner is restarted. Without its descriptors, the loop
/// would hang.
[[noreturn]] void Die(const char* what) {
  Log(LogLevel::kError, std::string(what) + ": " + std::strerror(errno));
  _exit(EXIT_FAILURE);
}

}  // namespace

Watch::Watch(EventLoop& loop, int fd, EventSink& sink, Urgency urgency)
    : loop_(loop), fd_(fd), sink_(sink), urgency_(urgency) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = this;
  if (epoll_ctl(loop_.epoll_.get(), EPOLL_CTL_ADD, fd_, &event) != 0) Die("watching a descriptor");
}

Watch::~Watch() {
  epoll_ctl(loop_.epoll_.get(), EPOLL_CTL_DEL, fd_, nullptr);
  loop_.Forget(this);
}

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) Die("epoll_create1");
}

void EventLoop::Run() {
  stopped_ = false;
  while (!stopped_) {
    ready_count_ = epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), -1);
    if (ready_count_ < 0 && errno != EINTR) Die("epoll_wait");
    Serve(Watch::Urgency::kUrgent);
    Serve(Watch::Urgency::kNormal);
  }
}

void EventLoop::Serve(Watch::Urgency urgency) {
  for (int i = 0; i < ready_count_; ++i) {
    epoll_event& event = ready_[static_cast<std::size_t>(i)];
    auto* watch = static_cast<Watch*>(event.data.ptr);
    if (watch == nullptr || watch->urgency_ != urgency) continue;
    event.data.ptr = nullptr;
    watch->sink_.OnReady(watch->fd_, event.events);
  }
}

void EventLoop::Forget(const Watch* watch) {
  for (epoll_event& event : ready_) {
    if (event.data.ptr == watch) event.data.ptr = nullptr;
  }
}

Timer::Timer(EventLoop& loop, EventSink& sink)
    : fd_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      watch_(loop, fd_.get(), sink) {}

void Timer::Arm(std::int64_t delay_ns) { Set(std::max(delay_ns, std::int64_t{1})); }

void Timer::Disarm() { Set(0); }

bool Timer::TakeExpiry() {
  std::uint64_t expiries = 0;
  return read(fd_.get(), &expiries, sizeof(expiries)) == sizeof(expiries);
}

void Timer::Set(std::int64_t delay_ns) {
  itimerspec setting{};
  setting.it_value.tv_sec = delay_ns / kNanosPerSecond;
  setting.it_value.tv_nsec = delay_ns % kNanosPerSecond;
  // This also clears an expiration that has not been read yet.
  if (timerfd_settime(fd_.get(), 0, &setting, nullptr) != 0) Die("timerfd_settime");
}

std::int64_t MonotonicNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * kNanosPerSecond + now.tv_nsec;
}

}  // namespace benchd
