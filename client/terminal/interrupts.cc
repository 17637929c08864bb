#include "client/terminal/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace benchd::client {

Interrupts::Interrupts(ExitCode leave_code) : leave_code_(leave_code) {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      sigaddset(&signals_, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  signal_fd_ = UniqueFd(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
  stop_fd_ = UniqueFd(eventfd(0, EFD_CLOEXEC));
  thread_ = std::thread([this] { Run(); });
}

Interrupts::~Interrupts() {
  eventfd_write(stop_fd_.get(), 1);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void Interrupts::React(Actions actions) {
  const std::lock_guard calling(calling_);
  actions_ = std::move(actions);
  if (interrupted() && actions_.on_first) actions_.on_first();
}

bool Interrupts::interrupted() const {
  const std::lock_guard lock(mutex_);
  return interrupted_;
}

void Interrupts::Wait(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, duration, [this] { return interrupted_; });
}

void Interrupts::Run() {
  while (true) {
    pollfd waiting[] = {{signal_fd_.get(), POLLIN, 0}, {stop_fd_.get(), POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waiting[1].revents != 0) return;
    signalfd_siginfo info{};
    if (read(signal_fd_.get(), &info, sizeof info) == sizeof info) {
      Handle(static_cast<int>(info.ssi_signo));
    }
  }
}

void Interrupts::Handle(int signal) {
  const std::lock_guard calling(calling_);
  const auto call = [](const std::function<void()>& action) {
    if (action) action();
  };
  switch (signal) {
    case SIGTSTP:
      call(actions_.on_stop);
      Stop();
      break;
    case SIGCONT:
      call(actions_.on_continue);
      break;
    case SIGWINCH:
      call(actions_.on_resize);
      break;
    case SIGHUP:
    case SIGQUIT:
      call(actions_.on_leave);
      DieOf(signal);
      break;
    default:
      Interrupt(signal);
      break;
  }
}

void Interrupts::Interrupt(int signal) {
  constexpr std::chrono::seconds kSameRequest{1};
  const auto now = std::chrono::steady_clock::now();
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = !interrupted_;
    interrupted_ = true;
  }
  changed_.notify_all();
  if (first && actions_.on_first) {
    interrupted_at_ = now;
    actions_.on_first();
    return;
  }
  if (!first && signal == SIGTERM && now - interrupted_at_ < kSameRequest) return;
  if (actions_.on_leave) actions_.on_leave();
  _exit(static_cast<int>(leave_code_));
}

// Stops the process with the signal itself, so that the shell sees a job stopped from the terminal.
void Interrupts::Stop() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  raise(SIGTSTP);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  // In an orphaned process group, which no shell could continue, SIGTSTP does not stop the process.
  // Otherwise SIGCONT is pending now.
  sigset_t pending;
  sigpending(&pending);
  if (sigismember(&pending, SIGCONT) != 1 && actions_.on_continue) actions_.on_continue();
}

// Dies of the signal, like the other processes in the terminal's session.
void Interrupts::DieOf(int signal) {
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  raise(signal);
}

}  // namespace benchd::client
