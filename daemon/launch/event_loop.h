#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "core/base/file.h"

namespace benchd {

/// A receiver of events from watched descriptors. OnReady() may destroy any Watch, and the sink
/// itself.
class EventSink {
 public:
  /// @param events  EPOLL* bits
  virtual void OnReady(int fd, std::uint32_t events) = 0;

 protected:
  ~EventSink() = default;
};

class EventLoop;

/// Registers a descriptor with the loop for the lifetime of the Watch. Destroy it before closing
/// the descriptor.
class Watch {
 public:
  /// If several descriptors are ready at the same time, urgent ones are served first. Only the end
  /// of a measured child is urgent.
  enum class Urgency { kNormal, kUrgent };

  Watch(EventLoop& loop, int fd, EventSink& sink, Urgency urgency = Urgency::kNormal);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  friend class EventLoop;
  EventLoop& loop_;
  const int fd_;
  EventSink& sink_;
  const Urgency urgency_;
};

/// The event loop of the runner's only thread. Every event that it waits for has a descriptor.
class EventLoop {
 public:
  EventLoop();

  /// Serves events until Stop().
  void Run();
  void Stop() { stopped_ = true; }

 private:
  friend class Watch;

  void Serve(Watch::Urgency urgency);
  void Forget(const Watch* watch);

  UniqueFd epoll_;
  std::array<epoll_event, 32> ready_{};
  int ready_count_ = 0;
  bool stopped_ = false;
};

/// A timer with a descriptor. It fires once for each Arm().
class Timer {
 public:
  Timer(EventLoop& loop, EventSink& sink);

  /// Sets the timer to fire after `delay_ns` (at least 1), which replaces an earlier setting.
  void Arm(std::int64_t delay_ns);
  void Disarm();
  /// Returns true if the timer has fired. Call this on each event, because an event may be older
  /// than the last Arm() or Disarm().
  bool TakeExpiry();
  int fd() const { return fd_.get(); }

 private:
  void Set(std::int64_t delay_ns);

  UniqueFd fd_;
  Watch watch_;
};

/// Returns the time of CLOCK_MONOTONIC in nanoseconds.
std::int64_t MonotonicNow();

}  // namespace benchd
