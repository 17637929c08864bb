#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "core/base/file.h"

namespace benchd {

/// Receives events of watched descriptors. May destroy any Watch, and itself, in OnReady().
class EventSink {
 public:
  /// @param events  EPOLL* bits
  virtual void OnReady(int fd, std::uint32_t events) = 0;

 protected:
  ~EventSink() = default;
};

class EventLoop;

/// Keeps a descriptor in the loop for its lifetime; must be destroyed before the descriptor is
/// closed.
class Watch {
 public:
  /// Of the descriptors that are ready together, urgent ones are served first: the end of a
  /// measured child.
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

/// The runner's only thread of control. Everything it waits for is a descriptor.
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

  /// Fires after `delay_ns` (at least 1) and replaces an earlier setting.
  void Arm(std::int64_t delay_ns);
  void Disarm();
  /// True if it has fired. An event may be older than the last Arm() or Disarm().
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
