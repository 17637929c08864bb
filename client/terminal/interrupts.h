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

/// The signals of a terminal as events of one thread of their own: Ctrl-C, Ctrl-Z and fg, a hangup,
/// another size of the window.
///
/// Construct before any other thread exists (they inherit the blocked mask). A signal that is
/// ignored (nohup, a shell's background job) stays ignored.
class Interrupts {
 public:
  struct Actions {
    /// The first SIGINT or SIGTERM; must not block for long. None: the process leaves at once.
    std::function<void()> on_first = nullptr;
    /// Before the process goes: at the second SIGINT or SIGTERM, at SIGHUP and SIGQUIT. A SIGTERM
    /// within a second of the first is that one again: who ends a job tells each of its processes,
    /// and those tell their children.
    std::function<void()> on_leave = nullptr;
    /// Before the process stops for SIGTSTP (Ctrl-Z).
    std::function<void()> on_stop = nullptr;
    /// The process runs again, by whatever it was stopped; perhaps in the background now.
    std::function<void()> on_continue = nullptr;
    /// SIGWINCH: the terminal has another size.
    std::function<void()> on_resize = nullptr;
  };

  /// Until React is called, the first signal ends the process.
  ///
  /// @param leave_code  the process' exit code when it leaves at once
  explicit Interrupts(ExitCode leave_code = ExitCode::kInterrupted);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  /// From now on `actions` are called, mostly on the signal thread; the earlier ones are not
  /// running any more when this returns. If there was an interrupt before, on_first is called now,
  /// here.
  void React(Actions actions);

  /// Whether a SIGINT or SIGTERM has come.
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
  std::chrono::steady_clock::time_point interrupted_at_;  ///< the signal thread's
  std::thread thread_;
};

}  // namespace benchd::client
