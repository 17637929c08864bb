#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "core/base/file.h"

namespace benchd {

/// Told when one of its descriptors is ready. May destroy any Watch, and itself, while it is told.
class EventSink {
 public:
  /// `events` are EPOLL* bits.
  virtual void OnReady(int fd, std::uint32_t events) = 0;

 protected:
  ~EventSink() = default;
};

class EventLoop;

/// Keeps a descriptor in the loop for as long as it lives; must die before the descriptor is
/// closed.
class Watch {
 public:
  /// Urgent ones are served first among those that are ready together: the end of a measured child.
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

/// The runner's only thread of control: everything it waits for is a descriptor.
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

/// A timer as a descriptor; fires once for each Arm().
class Timer {
 public:
  Timer(EventLoop& loop, EventSink& sink);

  /// Fires after `delay_ns` (at least 1); an earlier setting is forgotten.
  void Arm(std::int64_t delay_ns);
  void Disarm();
  /// Whether it really fired: an event may be older than the last Arm() or Disarm().
  bool TakeExpiry();
  int fd() const { return fd_.get(); }

 private:
  void Set(std::int64_t delay_ns);

  UniqueFd fd_;
  Watch watch_;
};

/// CLOCK_MONOTONIC in nanoseconds.
std::int64_t MonotonicNow();

}  // namespace benchd
