#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

#include "client/app/exit_code.h"
#include "core/base/file.h"

namespace benchd::client {

/// Handles the signals of a terminal on a separate thread: Ctrl-C, Ctrl-Z and fg, a hangup, a
/// resized window.
///
/// Construct it before any other thread exists, because threads inherit the blocked mask. A signal
/// that is ignored (nohup, a shell's background job) stays ignored.
class Interrupts {
 public:
  struct Actions {
    /// Called at the first SIGINT or SIGTERM; must not block for long. If empty, the process exits
    /// at once.
    std::function<void()> on_first = nullptr;
    /// Called before the process exits: at the second SIGINT or SIGTERM, at SIGHUP and SIGQUIT. A
    /// SIGTERM within a second of the first counts as the same request: a job manager signals each
    /// process of a job, and those processes forward the signal to their children.
    std::function<void()> on_leave = nullptr;
    /// Called before the process stops for SIGTSTP (Ctrl-Z).
    std::function<void()> on_stop = nullptr;
    /// Called when the process continues after any stop, possibly in the background.
    std::function<void()> on_continue = nullptr;
    /// Called at SIGWINCH: the size of the terminal has changed.
    std::function<void()> on_resize = nullptr;
  };

  /// Until React is called, the first signal ends the process.
  ///
  /// @param leave_code  exit code of the process when it exits at once
  explicit Interrupts(ExitCode leave_code = ExitCode::kInterrupted);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  /// Replaces the actions, which are called on the signal thread. When this returns, the previous
  /// actions are not running anymore. If an interrupt has already arrived, calls on_first on this
  /// thread before returning.
  void React(Actions actions);

  /// From here on, an interrupt is only noted (interrupted()), for example until the answer to a
  /// submission shows which session to cancel.
  void Defer() {
    React({[] {}, {}});
  }

  /// Returns whether a SIGINT or SIGTERM has been received.
  bool interrupted() const;

  /// Sleeps for `duration`, or until interrupted.
  void Wait(std::chrono::milliseconds duration);

 private:
  void Run();
  void Handle(int signal);
  void Interrupt(int signal);
  void Stop();
  void DieOf(int signal);

  const ExitCode leave_code_;
  sigset_t signals_{};
  sigset_t previous_{};
  UniqueFd signal_fd_;
  UniqueFd stop_fd_;
  std::mutex calling_;  ///< held while actions run; taken before mutex_
  Actions actions_;     ///< guarded by calling_
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool interrupted_ = false;                              ///< guarded by mutex_
  std::chrono::steady_clock::time_point interrupted_at_;  ///< signal thread only
  std::thread thread_;
};

}  // namespace benchd::client
