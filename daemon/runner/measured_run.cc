#include "daemon/runner/measured_run.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "daemon/runner/launch_failure.h"
#include "daemon/runner/log.h"

namespace benchd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
/// What SIGKILL may take until it has worked; beyond it a process hangs in the kernel.
constexpr std::int64_t kKillGrace = 5'000 * kMillisecond;
constexpr std::int64_t kSweepInterval = 1 * kMillisecond;
constexpr std::int64_t kParseTimeout = 10'000 * kMillisecond;

std::int64_t Micros(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
}

std::string Unparsed(Error why) { return wire::EncodeParsedOutput({std::move(why), {}, {}}); }

}  // namespace

MeasuredRun::MeasuredRun(Services services, RunOwner& owner)
    : services_(services), owner_(owner), timer_(services.loop, *this) {}

Result<void> MeasuredRun::Start(RunTask task) {
  task_ = std::move(task);
  figures_ = {};
  log_.clear();
  killed_ = timed_out_ = cancelled_ = false;
  if (auto opened = OpenCaptures(); !opened) return opened;

  const int null = services_.host.null.get();
  ChildPlan& plan =
      task_.plan->Prepare(null, stdout_ ? stdout_->write_end() : null, stderr_->write_end(),
                          task_.padding_bytes, task_.truncate_output);
  // What is to be parsed goes through the pipe first; the parser then writes the file.
  if (!task_.parse.empty()) plan.output = nullptr;
  SpawnOptions options;
  options.cgroup_fd = services_.cgroup != nullptr ? services_.cgroup->fd() : -1;
  options.share_memory = services_.host.MayShareMemory(task_.plan->spec().caller);
  services_.host.ResetOwnPeak();
  auto child = Spawn(plan, area_, options);
  if (!child) return std::move(child).error();

  child_ = std::move(*child);
  state_ = State::kRunning;
  services_.tree.Claim(child_.pid, ProcessTree::Kind::kMeasured);
  child_watch_.emplace(services_.loop, child_.pidfd.get(), *this, Watch::Urgency::kUrgent);
  if (stdout_) stdout_->CloseWriteEnd();
  stderr_->CloseWriteEnd();
  if (task_.timeout_ns > 0) timer_.Arm(task_.timeout_ns);
  return {};
}

Result<void> MeasuredRun::OpenCaptures() {
  stdout_.reset();
  stderr_.reset();
  parse_input_.Reset();
  CaptureTargets out;
  CaptureTargets err;
  err.keep_tail = true;
  if (task_.output == OutputKind::kLog) out.log = err.log = &log_;
  if (!task_.parse.empty()) {
    auto memory = EmptyMemory();
    if (!memory) return std::move(memory).error();
    parse_input_ = std::move(*memory);
    out.memory = parse_input_.get();
    out.memory_limit = kParseBytes;
  }
  if (out.log != nullptr || out.memory >= 0) {
    auto capture = Capture::Open(services_.loop, out);
    if (!capture) return std::move(capture).error();
    stdout_ = std::move(*capture);
  }
  auto capture = Capture::Open(services_.loop, err);
  if (!capture) return std::move(capture).error();
  stderr_ = std::move(*capture);
  return {};
}

void MeasuredRun::Cancel() {
  if (state_ == State::kIdle) return;
  cancelled_ = true;
  if (state_ == State::kRunning) KillChild();
  if (state_ == State::kParsing) AfterSweep();
}

void MeasuredRun::OnReady(int fd, std::uint32_t) {
  if (fd == timer_.fd()) return OnTimer();
  OnExit();
}

void MeasuredRun::OnTimer() {
  if (!timer_.TakeExpiry()) return;
  if (state_ == State::kSweeping) return Sweep();
  if (state_ != State::kRunning) return;
  if (!killed_) {
    timed_out_ = true;
    return KillChild();
  }
  const std::string pid = std::to_string(child_.pid);
  if (area_.report().monotonic_ns == 0) {
    // It still uses our memory, which cannot be used for another then: start afresh.
    Log(LogLevel::kError,
        "process " + pid + " cannot be killed before its program began; giving up");
    _exit(EXIT_FAILURE);
  }
  services_.tree.Release(child_.pid);
  Finish(Error{ErrorCode::kInternal,
               "process " + pid + ": it hangs in the kernel and cannot be killed",
               "see /proc/" + pid + "/stack"});
}

void MeasuredRun::KillChild() {
  if (killed_) return;
  killed_ = true;
  syscall(SYS_pidfd_send_signal, child_.pidfd.get(), SIGKILL, nullptr, 0);
  // It has not been reaped, so the number of its group is nobody else's.
  kill(-child_.pid, SIGKILL);
  if (services_.cgroup != nullptr) services_.cgroup->Kill();
  timer_.Arm(kKillGrace);
}

void MeasuredRun::OnExit() {
  siginfo_t info{};
  rusage usage{};
  // The raw call: its fifth argument is the usage of this one process.
  const long waited =
      syscall(SYS_waitid, P_PIDFD, child_.pidfd.get(), &info, WEXITED | WNOHANG, &usage);
  const std::int64_t ended_at = MonotonicNow();
  if (waited != 0 || info.si_pid == 0) return;
  timer_.Disarm();
  services_.tree.Release(child_.pid);
  child_watch_.reset();
  child_.pidfd.Reset();
  TakeFigures(info, usage, ended_at);
  state_ = State::kSweeping;
  sweep_until_ = ended_at + kKillGrace;
  Sweep();
}

void MeasuredRun::TakeFigures(const siginfo_t& info, const rusage& usage, std::int64_t ended_at) {
  const ChildReport& report = area_.report();
  figures_.started_at_ns = report.realtime_ns;
  figures_.wall_time_ns = ended_at - report.monotonic_ns;
  figures_.user_time_us = Micros(usage.ru_utime);
  figures_.system_time_us = Micros(usage.ru_stime);
  figures_.max_rss_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  figures_.minor_faults = usage.ru_minflt;
  figures_.major_faults = usage.ru_majflt;
  figures_.voluntary_switches = usage.ru_nvcsw;
  figures_.involuntary_switches = usage.ru_nivcsw;
  figures_.exit.timed_out = timed_out_;
  if (info.si_code == CLD_EXITED) {
    figures_.exit.code = info.si_status;
  } else {
    figures_.exit.signal = info.si_status;
  }
}

void MeasuredRun::Sweep() {
  if (!services_.tree.AnyLeft()) return AfterSweep();
  if (MonotonicNow() > sweep_until_) {
    return Finish(Error{ErrorCode::kInternal, "run: a process that it left behind cannot be killed",
                        "is one set-user-ID, or hanging in the kernel? look at the children of "
                        "benchd-runner with ps"});
  }
  if (services_.cgroup != nullptr) services_.cgroup->Kill();
  services_.tree.Kill();
  timer_.Arm(kSweepInterval);
}

void MeasuredRun::AfterSweep() {
  parser_.reset();
  if (stdout_) stdout_->Finish();
  stderr_->Finish();
  if (auto failure = FindFailure()) return Finish(std::move(*failure));
  figures_.stderr_tail = stderr_->TakeTail();
  figures_.output = std::move(log_);
  if (!task_.parse.empty() && figures_.exit.signal == 0 && !timed_out_) return StartParsing();
  Finish(std::move(figures_));
}

std::optional<Error> MeasuredRun::FindFailure() const {
  const LaunchSpec& spec = task_.plan->spec();
  if (cancelled_) return Error{ErrorCode::kCancelled, "run: cancelled", {}};
  if (area_.valid()) {
    const ChildReport& report = area_.report();
    if (report.step != ChildStep::kNone) return DescribeLaunchFailure(report, spec);
    if (report.monotonic_ns == 0 && timed_out_) return DescribeHungLaunch(spec);
    if (report.monotonic_ns == 0) {
      return Error{ErrorCode::kFailedPrecondition,
                   "program: " + spec.program->path + " was killed by signal " +
                       std::to_string(figures_.exit.signal) + " before it began",
                   {}};
    }
  }
  return {};
}

void MeasuredRun::StartParsing() {
  if (stdout_->overflowed()) {
    figures_.parsed = Unparsed(
        Error{ErrorCode::kResourceExhausted,
              "stdout: over " + std::to_string(kParseBytes >> 20) + " MiB, too much to be parsed",
              "let the harness print less"});
    return Finish(std::move(figures_));
  }
  lseek(parse_input_.get(), 0, SEEK_SET);
  const LaunchSpec& spec = task_.plan->spec();
  HelperOrder order;
  order.name = "parsing stdout";
  order.argv = {"parse", task_.parse};
  if (task_.output == OutputKind::kFile) {
    order.argv.insert(order.argv.end(),
                      {task_.truncate_output ? "truncate" : "append", task_.output_path});
  }
  order.input = std::move(parse_input_);
  order.caller = spec.caller;
  order.cwd = spec.cwd;
  order.timeout_ns = kParseTimeout;
  parser_ = std::make_unique<HelperProcess>(services_.loop, services_.host, services_.tree, *this);
  state_ = State::kParsing;
  if (auto started = parser_->Start(std::move(order)); !started) {
    figures_.parsed = Unparsed(std::move(started).error());
    Finish(std::move(figures_));
  }
}

void MeasuredRun::OnHelperDone(HelperProcess&, Result<std::string> answer) {
  figures_.parsed = answer ? std::move(*answer) : Unparsed(std::move(answer).error());
  Finish(std::move(figures_));
}

void MeasuredRun::Finish(Result<wire::RunFigures> figures) {
  timer_.Disarm();
  child_watch_.reset();
  child_.pidfd.Reset();
  parser_.reset();
  stdout_.reset();
  stderr_.reset();
  parse_input_.Reset();
  state_ = State::kIdle;
  owner_.OnRunFinished(std::move(figures));
}

}  // namespace benchd
