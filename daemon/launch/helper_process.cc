#include "daemon/launch/helper_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "core/base/file.h"
#include "core/base/try.h"
#include "daemon/launch/child_limits.h"

namespace benchd {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
/// The limit on the address space of the helper, and on the memory of its control group.
constexpr std::uint64_t kMemoryBytes = std::uint64_t{512} * 1024 * 1024;
/// The limit on the processes of a helper. The helper itself has one thread, but lookups in the
/// user database may start more processes.
constexpr std::uint64_t kProcesses = 32;

/// How long a helper may take to die after SIGKILL. A helper that survives longer hangs in the
/// kernel.
constexpr std::int64_t kKillTimeout = 5'000'000'000;

Caller WithHelperLimits(Caller caller, std::int64_t timeout_ns) {
#ifndef BENCHD_SANITIZED  // a sanitizer reserves terabytes
  LowerLimit(caller.limits, RLIMIT_AS, kMemoryBytes);
#endif
  LowerLimit(caller.limits, RLIMIT_CPU,
             static_cast<std::uint64_t>(timeout_ns) / kNanosecondsPerSecond + 1);
  LowerLimit(caller.limits, RLIMIT_CORE, 0);
  return caller;
}

Result<std::string> ReadAnswer(int memory) {
  struct stat info {};
  if (fstat(memory, &info) != 0) return SystemError("reading an answer", errno);
  return ReadStart(memory, static_cast<std::size_t>(info.st_size), "reading an answer");
}

}  // namespace

Result<UniqueFd> EmptyMemory() {
  UniqueFd memory(memfd_create("benchd", MFD_CLOEXEC));
  if (!memory) return SystemError("memfd_create", errno);
  return memory;
}

Result<UniqueFd> MemoryWith(std::string_view text) {
  auto memory = EmptyMemory();
  if (!memory) return memory;
  TRY_VOID(AppendToMemory(memory->get(), text));
  return memory;
}

Result<void> AppendToMemory(int memory, std::string_view text) {
  lseek(memory, 0, SEEK_END);
  TRY_VOID(WriteAll(memory, text, "writing to memory"));
  lseek(memory, 0, SEEK_SET);
  return {};
}

HelperProcess::HelperProcess(EventLoop& loop, const Host& host, ProcessTree& tree,
                             HelperOwner& owner)
    : loop_(loop), host_(host), tree_(tree), owner_(owner) {}

HelperProcess::~HelperProcess() {
  if (process_.pidfd) KillAndReap();
}

/// Creates a new control group for the helper, which keeps its processes and memory separate from
/// those of other helpers. Creating and removing the group takes 0.15 ms (Linux 6.18, without
/// controllers), which is little compared with starting the process, and no run is measured until
/// the helper has answered.
Result<void> HelperProcess::MakeGroup() {
  if (host_.helper_groups.empty()) return {};
  TRY(auto group, TreeGroup::CreateIn(host_.helper_groups));
  group_.emplace(std::move(group));
  if (group_->CanLimitMemory()) {
    TRY_VOID(group_->LimitMemory(kMemoryBytes));
  }
  return group_->CanLimitProcesses() ? group_->LimitProcesses(kProcesses) : Result<void>();
}

Result<void> HelperProcess::Start(HelperOrder order) {
  name_ = order.name;
  LaunchSpec spec;
  spec.caller = WithHelperLimits(order.caller, order.timeout_ns);
  spec.as_caller = order.as_caller;
  spec.argv = {"benchd-helper"};
  spec.argv.insert(spec.argv.end(), order.argv.begin(), order.argv.end());
  spec.cwd = order.cwd;
  spec.cpus = host_.cpus.housekeeping;
  spec.settings.nice = order.nice;
  TRY_VOID(LaunchPlan::Check(host_, spec));
  plan_ = std::make_unique<LaunchPlan>(host_, std::move(spec));

  TRY(auto answer, EmptyMemory());
  answer_ = std::move(answer);
  TRY(auto out,
      Capture::Open(loop_,
                    {.much = true, .memory = answer_.get(), .memory_limit = kHelperAnswerBytes}));
  stdout_ = std::move(out);
  CaptureTargets tail;
  tail.keep_tail = true;
  TRY(auto err, Capture::Open(loop_, tail));
  stderr_ = std::move(err);

  const LaunchStreams streams{order.input.get(), stdout_->write_end(), stderr_->write_end()};
  ChildPlan& plan = plan_->Prepare(memory_, streams, 0);
  if (auto made = MakeGroup(); !made) return std::move(made).error().Within(name_);
  SpawnOptions options;
  options.cgroup_fd = group_ ? group_->fd() : -1;
  options.only_in_cgroup = group_.has_value();
  options.share_memory = !order.as_caller || host_.MayShareMemory(order.caller);
  auto process = Spawn(plan, area_, options);
  if (!process) return std::move(process).error().Within(name_);
  process_ = std::move(*process);
  tree_.Claim(process_.pid, ProcessTree::Kind::kHelper);
  stdout_->CloseWriteEnd();
  stderr_->CloseWriteEnd();
  timer_.emplace(loop_, *this);
  timer_->Arm(order.timeout_ns);
  watch_.emplace(loop_, process_.pidfd.get(), *this);
  return {};
}

void HelperProcess::OnReady(int fd, std::uint32_t) {
  if (fd == timer_->fd()) return OnTimer();
  // The helper has not been reaped, so its process group ID cannot have been reused.
  kill(-process_.pid, SIGKILL);
  siginfo_t info{};
  if (waitid(P_PIDFD, static_cast<id_t>(fd), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) {
    return;
  }
  watch_.reset();
  timer_.reset();
  tree_.Release(process_.pid);
  process_.pidfd.Reset();
  group_.reset();
  hangs_ = false;
  owner_.OnHelperDone(*this, Collect(info.si_status, info.si_code == CLD_EXITED));
}

void HelperProcess::OnTimer() {
  if (!timer_->TakeExpiry()) return;
  if (!timed_out_) {
    timed_out_ = true;
    SendKill(process_);
    return timer_->Arm(kKillTimeout);
  }
  hangs_ = true;
  owner_.OnHelperDone(*this, TookTooLong());
}

Error HelperProcess::TookTooLong() const {
  return Error{ErrorCode::kDeadlineExceeded, name_ + ": benchd-helper took too long",
               "check for a very large file or for a file system that does not respond"};
}

Result<std::string> HelperProcess::Collect(int status, bool exited) {
  stdout_->Finish();
  stderr_->Finish();
  const ChildReport& report = area_.report();
  if (report.step != ChildStep::kNone) {
    return DescribeLaunchFailure(report, plan_->spec()).Within(name_);
  }
  if (timed_out_) return TookTooLong();
  if (stdout_->overflowed()) {
    return Error{
        ErrorCode::kResourceExhausted,
        fmt::format("{}: the names and values exceed {} MiB", name_, kHelperAnswerBytes >> 20),
        "print fewer values in one run, or shorter names"};
  }
  if (!exited || status != 0) {
    std::string why =
        exited ? fmt::format("exit code {}", status) : fmt::format("killed by signal {}", status);
    std::string tail = stderr_->TakeTail();
    tail.erase(tail.find_last_not_of('\n') + 1);
    if (!tail.empty()) why.append(": ").append(tail);
    return Error{ErrorCode::kInternal, name_ + ": benchd-helper failed: " + why};
  }
  return ReadAnswer(answer_.get());
}

void HelperProcess::KillAndReap() {
  SendKill(process_);
  // Waits briefly for the process to die. A process that hangs in the kernel may still use its
  // stack and its report, which are kept, but it executes no more of our code, so it no longer
  // reads the plan. ProcessTree reaps it when it exits.
  constexpr int kDyingMs = 200;
  pollfd dead{process_.pidfd.get(), POLLIN, 0};
  poll(&dead, 1, kDyingMs);
  siginfo_t info{};
  const bool reaped = waitid(P_PIDFD, static_cast<id_t>(dead.fd), &info, WEXITED | WNOHANG) == 0 &&
                      info.si_pid != 0;
  tree_.Release(process_.pid);
  if (reaped) return;
  tree_.GiveUp(process_.pid);
  area_.Abandon();
}

}  // namespace benchd
