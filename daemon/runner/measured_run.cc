#include "daemon/runner/measured_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/try.h"
#include "core/model/run.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/launch/host.h"
#include "daemon/launch/launch_plan.h"
#include "daemon/launch/turns.h"

namespace benchd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
/// How long a process may take to die after SIGKILL. Processes that survive longer are given up.
constexpr std::int64_t kKillGrace = 5'000 * kMillisecond;
constexpr std::int64_t kSweepInterval = 1 * kMillisecond;
/// How long the runner waits for the spawner to note the end of a child, in nanoseconds. The
/// spawner wakes on the child's CPU, which may be busy.
constexpr std::int64_t kSpawnerDelay = 20'000;
/// The unit of ru_inblock and ru_oublock, in bytes.
constexpr std::int64_t kBlockBytes = 512;

std::int64_t Micros(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
}

}  // namespace

void HungChildren::Add(Spawned child) { children_.emplace_back(loop_, std::move(child), *this); }

void HungChildren::OnReady(int fd, std::uint32_t) {
  tree_.Reap();
  children_.remove_if([fd](const Hung& hung) { return hung.child.pidfd.get() == fd; });
}

MeasuredRun::MeasuredRun(Services services, RunOwner& owner)
    : services_(services),
      owner_(owner),
      timer_(services.loop, *this),
      first_({services.loop, services.host, services.tree, services.perf, services.disturbances},
             *services.groups[0]),
      second_({services.loop, services.host, services.tree, services.perf, services.disturbances},
              *services.groups[1]),
      hung_(services.loop, services.tree) {}

Result<void> MeasuredRun::Start(RunTask task) {
  return task.parse_file.empty() ? StartNow(std::move(task)) : StartClearing(std::move(task));
}

/// Removes the files of earlier runs, so that the numbers are from this one. benchd-helper does
/// this as the caller.
Result<void> MeasuredRun::StartClearing(RunTask task) {
  waiting_ = std::move(task);
  cancelled_ = false;
  const LaunchSpec& spec = waiting_.plan->spec();
  TRY(auto nothing, EmptyMemory());
  HelperOrder order{.name = "parse-file",
                    .argv = {"remove-files", waiting_.parse_file},
                    .input = std::move(nothing),
                    .caller = spec.caller,
                    .cwd = spec.cwd,
                    .timeout_ns = kParseTimeout};
  helper_ = std::make_unique<HelperProcess>(services_.loop, services_.host, services_.tree, *this);
  auto started = helper_->Start(std::move(order));
  if (started) {
    state_ = State::kClearing;
  } else {
    helper_.reset();
  }
  return started;
}

void MeasuredRun::FinishClearing(const Result<std::string>& answer) {
  helper_.reset();
  if (!answer) return Finish(answer.error());
  auto removed = wire::DecodeParsedOutput(*answer);
  if (!removed) return Finish(std::move(removed).error().Within("parse-file"));
  if (!removed->result) return Finish(std::move(removed->result).error());
  if (auto started = StartNow(std::move(waiting_)); !started) Finish(std::move(started).error());
}

Result<void> MeasuredRun::StartNow(RunTask task) {
  DropCaches(task);
  OpenSpawner();
  const bool ordered = spawner_ && now_->Prepare(task, *spawner_, 0);
  AwaitPhase();
  const bool made = ordered && now_->Go(*this);
  // If the spawner was killed or failed, the runner creates the child itself, or reports the cause.
  if (ordered && !made) CloseSpawner();
  if (!made) {
    TRY_VOID(now_->Start(std::move(task), *this));
  }
  Begin();
  return {};
}

void MeasuredRun::Prepare(RunTask task) {
  // Creating a control group with memory counters causes work on every CPU.
  if (task.needs->tree.memory_peak) return;
  if (task.plan->spec().settings.drop_caches) return;
  // Its files are removed first, or those of the run that is about to start.
  if (!task.parse_file.empty() || state_ == State::kClearing) return;
  OpenSpawner();
  // If this fails, the later Start() reports the cause.
  const bool ordered = spawner_ && next_->Prepare(std::move(task), *spawner_, now_->pid());
  if (!ordered) next_->Discard();
}

/// On shared CPUs, decouples the start of a run from the end of the previous one.
void MeasuredRun::AwaitPhase() {
  const std::int64_t wait_ns = phase_.Draw();
  if (wait_ns == 0) return;
  const timespec wait{0, wait_ns};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, nullptr);
}

Result<void> MeasuredRun::StartPrepared() {
  std::swap(now_, next_);
  AwaitPhase();
  if (!now_->Go(*this)) {
    CloseSpawner();
    return Start(now_->task());
  }
  Begin();
  return {};
}

void MeasuredRun::OpenSpawner() {
  const CpusetKind cpuset = services_.machine.cpuset();
  if (spawner_ && spawner_cpuset_ == cpuset) return;
  CloseSpawner();
  // If a control group owns the CPUs, only its members can run on them.
  const bool in_group = cpuset != CpusetKind::kAffinity && services_.spawner_group != nullptr;
  auto opened = Spawner::Open(in_group ? services_.spawner_group->fd() : -1);
  if (!opened) return;
  spawner_ = std::move(*opened);
  spawner_cpuset_ = cpuset;
  services_.tree.Claim(spawner_->pid(), ProcessTree::Kind::kHelper);
}

void MeasuredRun::CloseSpawner() {
  if (!spawner_) return;
  services_.tree.Release(spawner_->pid());
  spawner_.reset();
}

void MeasuredRun::EndPreparing() {
  DiscardPrepared();
  CloseSpawner();
}

/// Empties the page cache. Writes dirty pages first, because the kernel cannot drop them.
void MeasuredRun::DropCaches(const RunTask& task) const {
  if (!task.plan->spec().settings.drop_caches) return;
  sync();
  auto dropped = services_.host.files.Write(paths::kDropCaches, "3");
  if (!dropped) Log(LogLevel::kWarning, "drop_caches: " + dropped.error().message);
}

/// Restarts a run whose child was killed before its gate opened. The program has not been executed
/// at that point.
void MeasuredRun::StartAgain() {
  if (auto started = Start(now_->task()); !started) Finish(std::move(started).error());
}

void MeasuredRun::Begin() {
  figures_ = {};
  killed_ = timed_out_ = cancelled_ = false;
  state_ = State::kRunning;
  if (now_->task().timeout_ns > 0) {
    timer_.Arm(now_->task().timeout_ns);
  } else {
    timer_.Disarm();
  }
}

void MeasuredRun::CloseFinished() {
  timer_.Disarm();
  now_->Discard();
}

void MeasuredRun::Cancel() {
  if (state_ == State::kIdle) return;
  cancelled_ = true;
  if (state_ == State::kClearing) return Finish(Error{ErrorCode::kCancelled, "run: cancelled"});
  if (state_ == State::kRunning) KillChild();
  if (state_ == State::kParsing) AfterSweep();
}

void MeasuredRun::OnReady(int fd, std::uint32_t) {
  // If benchd has gone, the end of its last batch destroys this object and the spawner.
  const std::weak_ptr<Spawner> spawner = spawner_;
  if (fd == timer_.fd()) {
    OnTimer();
  } else if (fd == now_->pidfd()) {
    OnEnd();
  }
  // Nothing is left to do at once, and the next run may have been started.
  if (const auto left = spawner.lock()) left->SendHome();
}

void MeasuredRun::OnEnd() {
  if (TakeEnd()) return Sweep();
  // The child is dead but cannot be reaped yet, because its tracer has not waited for it.
  AwaitDeath(true);
}

void MeasuredRun::OnTimer() {
  if (!timer_.TakeExpiry()) return;
  if (state_ == State::kSweeping) return Sweep();
  if (state_ == State::kDying) return GoOnDying();
  if (state_ != State::kRunning) return;
  if (killed_) return AwaitDeath(false);
  timed_out_ = true;
  KillChild();
}

/// Waits for a child that is dead or has been killed but cannot be reaped. Polls with a timer,
/// because the descriptor of a dead process stays readable.
/// @param of_itself  true: the child gets time to end. false: the child has used up its time, and
///                   only descendants that have not been killed yet get more.
void MeasuredRun::AwaitDeath(bool of_itself) {
  state_ = State::kDying;
  fewest_left_ = std::numeric_limits<std::size_t>::max();
  sweep_until_ = MonotonicNow() + kKillGrace;
  KillTree();
  if (!of_itself && fewest_left_ <= 1) sweep_until_ = 0;
}

void MeasuredRun::GoOnDying() {
  if (TakeEnd()) return Sweep();
  if (MonotonicNow() > sweep_until_) return GiveUpChild();
  KillTree();
}

/// Gives up the child and its descendants, so that the next run ignores them.
void MeasuredRun::GiveUpChild() {
  const pid_t pid = now_->pid();
  const Obstacle obstacle = FindObstacle(pid);
  // The working directory or an input is probably on a file system that does not respond. That is
  // the caller's problem, and other sessions are not affected.
  const bool never_began = now_->report().monotonic_ns == 0;
  const std::string tree = services_.tree.GiveUp();
  Log(LogLevel::kError, fmt::format("process {} does not exit and will be ignored: {}{}", pid,
                                    obstacle.what, tree.empty() ? "" : " (" + tree + ")"));
  hung_.Add(now_->Abandon());
  // The spawner may be waiting for the end of the child.
  EndPreparing();
  if (never_began && !cancelled_) return Finish(DescribeHungLaunch(now_->task().plan->spec()));
  Finish(Error{ErrorCode::kInternal,
               fmt::format("process {} does not exit: {}", pid, obstacle.what), obstacle.hint});
}

void MeasuredRun::KillChild() {
  if (killed_) return;
  killed_ = true;
  now_->Kill();
  timer_.Arm(kKillGrace);
}

/// Collects the figures of a child that has ended and reaps it. Returns false if the child cannot
/// be reaped.
bool MeasuredRun::TakeEnd() {
  if (spawner_) spawner_->Notice(now_->pid());
  siginfo_t info{};
  rusage usage{};
  const bool movable = now_->task().plan->spec().cpus.size() != 1;
  const bool doubted = phase_.Doubts();
  const bool is_long = now_->has_report() && now_->report().monotonic_ns > 0 &&
                       MonotonicNow() - now_->report().monotonic_ns >= kLongEnoughForTurns;
  // The child's scheduling statistics can be read only until it is reaped.
  ChildEnd end;
  if (movable || doubted || is_long) {
    end = now_->LookAtEnd({.migrations = movable, .schedule = doubted || is_long})
              .value_or(ChildEnd{});
  }
  const bool ended = now_->Reap(info, usage);
  const std::int64_t seen_at = end.at_ns > 0 ? end.at_ns : MonotonicNow();
  if (!ended) return false;
  const std::int64_t ended_at = EndedAt(seen_at);
  if (end.migrations) services_.machine.NoteMigrations(*end.migrations);
  TakeFigures(info, usage, ended_at);
  phase_.Note(figures_, doubted ? end.schedule : std::nullopt);
  if (end.migrations) {
    figures_.Set("migrations", static_cast<std::int64_t>(*end.migrations));
  } else {
    figures_.missing.push_back(
        {"migrations", movable ? "this kernel lacks /proc/PID/sched" : "runs use only one CPU"});
  }
  const std::uint64_t forks = now_->ReadDisturbances(figures_);
  if (is_long) NoteTurns(end.schedule, forks);
  NameMissing(*now_->task().needs, figures_);
  state_ = State::kSweeping;
  sweep_until_ = ended_at + kKillGrace;
  fewest_left_ = std::numeric_limits<std::size_t>::max();
  return true;
}

void MeasuredRun::NoteTurns(const std::optional<ThreadSchedule>& main, std::uint64_t forks) {
  const LaunchSpec& spec = now_->task().plan->spec();
  // Only hooks have variables, and the duration of a hook does not matter.
  if (spec.cpus.empty() || !now_->task().variables.empty()) return;
  services_.machine.NoteTurns(spec.argv, spec.cpus.size(),
                              TookTurns(figures_, main, forks, spec.cpus.size()));
}

/// Returns the time at which the child ended. Prefers the time that the spawner read, because the
/// spawner wakes on the CPU of the run, whereas the runner's CPU may be asleep. Falls back to
/// `seen_at`, the time that the runner read, if a busy benchmark CPU delays the spawner.
std::int64_t MeasuredRun::EndedAt(std::int64_t seen_at) const {
  if (!spawner_) return seen_at;
  std::optional<std::int64_t> ended_at;
  do {
    ended_at = spawner_->EndOf(now_->pid());
  } while (!ended_at && MonotonicNow() < seen_at + kSpawnerDelay);
  return ended_at.value_or(seen_at);
}

/// Takes the resource usage of the run. Subtracts the usage before execve, which is due to the
/// runner's own setup.
void MeasuredRun::TakeUsage(const rusage& usage) {
  const rusage& before = now_->report().before;
  const std::int64_t set_up = Micros(before.ru_utime) + Micros(before.ru_stime);
  const std::int64_t user = Micros(usage.ru_utime) - Micros(before.ru_utime);
  const std::int64_t system = Micros(usage.ru_stime) - Micros(before.ru_stime);
  // Only the sum of the two times is exact. At each reading, the kernel splits it according to its
  // ticks.
  const std::int64_t total = std::max<std::int64_t>(user + system, 0);
  figures_.user_time_us = std::clamp<std::int64_t>(user, 0, total);
  figures_.system_time_us = total - figures_.user_time_us;
  figures_.user_time_step_ns = services_.host.cpu_accounting.StepNs(now_->task().plan->spec().cpus);
  figures_.max_rss_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  figures_.minor_faults = usage.ru_minflt - before.ru_minflt;
  figures_.major_faults = usage.ru_majflt - before.ru_majflt;
  figures_.voluntary_switches = usage.ru_nvcsw - before.ru_nvcsw;
  figures_.involuntary_switches = usage.ru_nivcsw - before.ru_nivcsw;
  if (services_.host.counts_io) {
    figures_.Set("read_bytes", (usage.ru_inblock - before.ru_inblock) * kBlockBytes);
    figures_.Set("write_bytes", (usage.ru_oublock - before.ru_oublock) * kBlockBytes);
  }
  now_->ReadCounted(figures_);
  if (const auto tree = figures_.Find("tree_cpu_time")) {
    figures_.Set("tree_cpu_time", std::max<std::int64_t>(*tree - set_up, 0));
  }
}

void MeasuredRun::TakeFigures(const siginfo_t& info, const rusage& usage, std::int64_t ended_at) {
  const ChildReport& report = now_->report();
  figures_.started_at_ns = report.realtime_ns;
  figures_.wall_time_ns = ended_at - report.monotonic_ns;
  figures_.ended_at_ns = ended_at;
  TakeUsage(usage);
  if (const auto share = SmallestShare(figures_.counters)) {
    services_.machine.NoteScaledCounters(*share);
  }
  figures_.exit.timed_out = timed_out_;
  if (info.si_code == CLD_EXITED) {
    figures_.exit.code = info.si_status;
  } else {
    figures_.exit.signal = info.si_status;
  }
}

void MeasuredRun::Sweep() {
  if (!services_.tree.AnyLeft()) return AfterSweep();
  if (MonotonicNow() > sweep_until_) return GiveUpSweeping();
  KillTree();
}

/// Kills all remaining descendants and schedules the next attempt.
void MeasuredRun::KillTree() {
  // The child of the next run is not claimed until Take(), so it would be killed with the others.
  DiscardPrepared();
  now_->StopWatching();
  now_->group().Kill();
  const std::size_t left = services_.tree.Kill();
  if (left < fewest_left_) {
    // Killing thousands of processes takes time. The deadline is extended while their number falls.
    fewest_left_ = left;
    sweep_until_ = MonotonicNow() + kKillGrace;
  }
  timer_.Arm(kSweepInterval);
}

/// Fails only this run. Processes that cannot be killed are ignored from now on.
void MeasuredRun::GiveUpSweeping() {
  const std::string list = services_.tree.GiveUp();
  const std::string left = list.empty() ? "it forks too fast" : "process " + list;
  Log(LogLevel::kError, "a process that a run left behind cannot be killed: " + left);
  Finish(Error{ErrorCode::kInternal,
               "run: a process that it left behind cannot be killed (" + left + ")",
               "list the children of benchd-runner with ps"});
}

void MeasuredRun::AfterSweep() {
  helper_.reset();
  now_->FinishOutput();
  if (!killed_ && now_->has_report() && now_->report().died_waiting) return StartAgain();
  if (auto failure = FindFailure()) return Finish(std::move(*failure));
  figures_.limit = now_->group().TakeHits();
  // A limit is noted even if the run succeeded or its exit code is accepted, because a run that
  // reaches a limit does different work.
  if (!figures_.limit.empty()) services_.machine.NoteLimit(figures_.limit);
  figures_.stderr_tail = now_->TakeStderrTail();
  figures_.output = now_->TakeLog();
  // A killed child stopped printing at an arbitrary place. Its samples are complete.
  const bool complete = figures_.exit.signal == 0 && !timed_out_;
  if (now_->task().check_output && complete) figures_.stdout_digest = now_->TakeDigest();
  const RunTask& task = now_->task();
  if (task.needs->profile || (!task.parse_file.empty() && complete)) return StartParsing();
  std::optional<UnparsedOutput> output;
  if (task.ParsesStream() && complete) output = TakeUnparsed();
  Finish(std::move(figures_), std::move(output));
}

/// Returns what the run printed, unless that is too much.
std::optional<UnparsedOutput> MeasuredRun::TakeUnparsed() {
  const RunTask& task = now_->task();
  const std::string stream = task.parse_stderr ? "stderr" : "stdout";
  std::optional<UniqueFd> memory = now_->TakeParseInput();
  if (!memory) {
    figures_.parsed = Unparsed(
        Error{ErrorCode::kResourceExhausted,
              fmt::format("{}: more than {} MiB, too large to parse", stream, kParseBytes >> 20),
              "make the harness print less"});
    return {};
  }
  const bool filed = task.output == OutputKind::kFile && !task.parse_stderr;
  return UnparsedOutput{.stream = stream,
                        .memory = std::move(*memory),
                        .format = task.parse,
                        .adapter = task.adapter,
                        .file = filed ? task.output_path : std::string(),
                        .spec = &task.plan->spec()};
}

std::optional<Error> MeasuredRun::FindFailure() const {
  const LaunchSpec& spec = now_->task().plan->spec();
  if (cancelled_) return Error{ErrorCode::kCancelled, "run: cancelled"};
  if (now_->has_report()) {
    const ChildReport& report = now_->report();
    if (report.step != ChildStep::kNone) return DescribeLaunchFailure(report, spec);
    if (report.monotonic_ns == 0 && timed_out_) return DescribeHungLaunch(spec);
    if (report.monotonic_ns == 0) {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("program: {} was killed by signal {} before it started",
                               spec.program->path, figures_.exit.signal)};
    }
  }
  return {};
}

Result<HelperOrder> MeasuredRun::OrderForHelper() {
  return now_->task().needs->profile ? OrderForProfile() : OrderForFiles();
}

void MeasuredRun::StartParsing() {
  auto order = OrderForHelper();
  if (!order) {
    figures_.parsed = Unparsed(std::move(order).error());
    return Finish(std::move(figures_));
  }
  const LaunchSpec& spec = now_->task().plan->spec();
  order->caller = spec.caller;
  order->cwd = spec.cwd;
  order->timeout_ns = kParseTimeout;
  helper_ = std::make_unique<HelperProcess>(services_.loop, services_.host, services_.tree, *this);
  now_->StopWatching();
  state_ = State::kParsing;
  if (auto started = helper_->Start(std::move(*order)); !started) {
    figures_.parsed = Unparsed(std::move(started).error());
    Finish(std::move(figures_));
  }
}

/// @errors if the kernel did not sample the program
Result<HelperOrder> MeasuredRun::OrderForProfile() {
  HelperOrder order;
  order.name = "profile";
  order.argv = {"profile"};
  TRY(order.input, now_->TakeProfile(figures_));
  return order;
}

Result<HelperOrder> MeasuredRun::OrderForFiles() const {
  const RunTask& task = now_->task();
  HelperOrder order;
  order.name = "parse-file";
  order.argv = {"parse-files", task.parse, std::to_string(kParseBytes), task.parse_file};
  TRY(order.input, MemoryWith(task.adapter != nullptr ? *task.adapter : std::string()));
  return order;
}

void MeasuredRun::OnHelperDone(HelperProcess&, Result<std::string> answer) {
  if (state_ == State::kClearing) return FinishClearing(answer);
  figures_.parsed = answer ? std::move(*answer) : Unparsed(std::move(answer).error());
  Finish(std::move(figures_));
}

void MeasuredRun::Finish(Result<wire::RunFigures> figures, std::optional<UnparsedOutput> output) {
  helper_.reset();
  state_ = State::kIdle;
  now_->group().LeaveCharges();
  // If a child is prepared, starting it comes first.
  if (!prepared()) CloseFinished();
  owner_.OnRunFinished(std::move(figures), std::move(output));
}

}  // namespace benchd
