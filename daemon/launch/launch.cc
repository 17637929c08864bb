#include "daemon/launch/launch.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/result.h"
#include "core/base/try.h"
#include "core/model/metric.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/launch/helper_process.h"

namespace benchd {
namespace {

/// Reads /proc/PID/schedstat, which contains the time on a CPU, the time spent waiting for one, and
/// the number of timeslices (Documentation/scheduler/sched-stats.rst).
std::optional<ThreadSchedule> ReadSchedule(const KernelFiles& files, const std::string& path) {
  const std::string text = files.Read(path).value_or("");
  std::string_view rest = text;
  std::string_view line = NextLine(rest);
  const auto ran = ParseCount(NextWord(line));
  const auto waited = ParseCount(NextWord(line));
  if (!ran || !waited) return {};
  return ThreadSchedule{static_cast<std::int64_t>(*ran), static_cast<std::int64_t>(*waited)};
}

}  // namespace

Result<void> Launch::Start(RunTask task, EventSink& sink) {
  TRY(auto options, MakeReady(std::move(task)));
  before_ = LookAround();
  TRY(auto child, Spawn(options));
  made_in_place_ = false;
  runner_beside_ = false;
  TRY_VOID(Adopt(std::move(child), sink));
  if (options.held) {
    SetAffinity(child_.pid, memory_.plan);
    OpenGate(area_);
  }
  return {};
}

Result<void> Launch::Prepare(RunTask task, Spawner& spawner, pid_t after) {
  TRY(auto options, MakeReady(std::move(task)));
  if (!spawner.Order(memory_.plan, area_, options, after)) {
    return Error{ErrorCode::kUnavailable, "the spawner rejected the order"};
  }
  spawner_ = &spawner;
  return {};
}

Result<void> Launch::Go(EventSink& sink) {
  runner_beside_ = spawner_->has_fetched();
  TRY(auto child, std::exchange(spawner_, nullptr)->Take());
  made_in_place_ = true;
  TRY_VOID(Adopt(std::move(child), sink));
  before_ = LookAround();
  OpenGate(area_);
  return {};
}

Disturbances Launch::LookAround() const {
  constexpr auto kLongest = std::numeric_limits<std::int64_t>::max();
  return services_.disturbances.Read(task_.plan->spec().cpus,
                                     task_.needs->disturbances ? kLongest : task_.length_ns);
}

/// Counts the timeslices that other threads began during the run. A timeslice begins when a thread
/// gets a CPU. The run's own timeslices are subtracted from the total: one at the gate, one after
/// each of its switches, and the first one of each thread that it created. One more is subtracted
/// for the spawner, which wakes at the end of the run, and one if the run began when the runner
/// left its CPU. Threads created by other programs can only make the result smaller.
std::uint64_t Launch::ReadDisturbances(wire::RunFigures& figures) const {
  if (task_.plan->spec().cpus.empty()) {
    for (const MetricInfo& metric : DisturbanceMetrics()) {
      if (SourceOf(metric.name) == MetricSource::kSched) continue;
      figures.missing.push_back({metric.name, "runs have no dedicated CPUs (--isolation off)"});
    }
    return 0;
  }
  const Disturbances now = LookAround();
  const auto rise = [](std::optional<std::uint64_t> before, std::optional<std::uint64_t> after) {
    const bool known = before && after && *after >= *before;
    return known ? std::optional(static_cast<std::int64_t>(*after - *before)) : std::nullopt;
  };
  figures.Set("interrupts", rise(before_.interrupts, now.interrupts));
  if (const auto ticks = rise(before_.stolen_ticks, now.stolen_ticks)) {
    figures.Set("stolen_time", *ticks * 1'000'000 / sysconf(_SC_CLK_TCK));
  }
  const std::int64_t forks = rise(before_.forks, now.forks).value_or(0);
  if (const auto turns = rise(before_.timeslices, now.timeslices)) {
    const std::int64_t own = 1 + figures.voluntary_switches + figures.involuntary_switches + forks;
    const std::int64_t ours = (made_in_place_ ? 1 : 0) + (runner_beside_ ? 1 : 0);
    figures.Set("foreign_switches", std::max<std::int64_t>(*turns - own - ours, 0));
  }
  return static_cast<std::uint64_t>(forks);
}

/// Creates all resources of the child except its process.
Result<SpawnOptions> Launch::MakeReady(RunTask task) {
  Discard();
  task_ = std::move(task);
  log_.clear();
  TRY_VOID(OpenCaptures());

  const int null = services_.host.null.get();
  LaunchStreams streams{null, stdout_ ? stdout_->write_end() : null, stderr_->write_end()};
  memory_.variables = task_.variables;
  ChildPlan& plan = task_.plan->Prepare(memory_, streams, task_.padding_bytes);
  // If stdout is parsed, it goes through the pipe, and the parser writes the file.
  if (task_.ParsesStream() && !task_.parse_stderr) plan.output = nullptr;
  auto options = JoinGroup();
  if (!options) return options;
  options->share_memory = services_.host.MayShareMemory(task_.plan->spec().caller);
  services_.host.ResetOwnPeak();
  return options;
}

/// Creates the process. If counters or samples are needed, the child is held briefly, because they
/// must be opened before execve.
Result<Spawned> Launch::Spawn(SpawnOptions& options) {
  options.held = task_.needs->WatchFromStart();
  auto child = benchd::Spawn(memory_.plan, area_, options);
  const bool cannot_wait = !child && child.error().code == ErrorCode::kUnimplemented;
  if (!cannot_wait || !options.held) return child;
  if (task_.needs->profile) return std::move(child).error().Within("profile");
  options.held = false;
  return benchd::Spawn(memory_.plan, area_, options);
}

/// Opens what observes the run on a child at its gate.
Result<void> Launch::WatchFromStart(pid_t pid) {
  if (!memory_.plan.held) return {};
  if (task_.needs->counters) counters_.Open(pid);
  if (!task_.needs->profile) return {};
  const std::vector<int>& cpus = task_.plan->spec().cpus;
  return profiler_.Open(*task_.needs->profile, pid,
                        cpus.empty() ? services_.host.usable_cpus : cpus);
}

/// Takes ownership of a newly created process.
/// @errors if it cannot be sampled; the process is then dead.
Result<void> Launch::Adopt(Spawned child, EventSink& sink) {
  if (auto watched = WatchFromStart(child.pid); !watched) {
    KillAndWait(child);
    return watched;
  }
  child_ = std::move(child);
  services_.tree.Claim(child_.pid, ProcessTree::Kind::kMeasured);
  watch_.emplace(services_.loop, child_.pidfd.get(), sink, Watch::Urgency::kUrgent);
  if (stdout_) stdout_->CloseWriteEnd();
  stderr_->CloseWriteEnd();
  return {};
}

/// Prepares the control group for the run.
/// @errors if limits apply, and the control group is missing and cannot be recreated.
Result<SpawnOptions> Launch::JoinGroup() {
  TRY_VOID(group_.BeginRun(task_.needs->tree));
  SpawnOptions options;
  options.cgroup_fd = group_.fd();
  options.only_in_cgroup = group_.limited();
  if (group_.limited() && options.cgroup_fd < 0) {
    return Error{ErrorCode::kInternal, "the control group of the runs cannot be recreated",
                 "restart benchd-runner"};
  }
  return options;
}

Result<void> Launch::OpenCaptures() {
  CaptureTargets out;
  CaptureTargets err;
  err.keep_tail = true;
  if (task_.output == OutputKind::kLog) out.log = err.log = &log_;
  if (task_.ParsesStream()) {
    TRY(auto memory, EmptyMemory());
    parse_input_ = std::move(memory);
    CaptureTargets& parsed = task_.parse_stderr ? err : out;
    parsed.memory = parse_input_.get();
    parsed.memory_limit = kParseBytes;
  }
  if (task_.check_output) out.digester = &digester_.emplace();
  const bool discarded = task_.output == OutputKind::kPipe;
  out.much = discarded || out.log != nullptr || out.memory >= 0 || out.digester != nullptr;
  err.much = err.log != nullptr || err.memory >= 0;
  if (out.much) {
    TRY(auto capture, OpenCapture(out, true));
    stdout_ = std::move(capture);
  }
  TRY(auto capture, OpenCapture(err, task_.parse_stderr));
  stderr_ = std::move(capture);
  return {};
}

/// @param by_name  the child may open the stream by its name in /dev, as some harnesses do
Result<std::unique_ptr<Capture>> Launch::OpenCapture(CaptureTargets targets, bool by_name) {
  auto capture = Capture::Open(services_.loop, targets);
  if (!capture || !by_name) return capture;
  // Only the owner of a pipe may open it by name. A failure without privileges does no harm,
  // because the caller then already owns the pipe.
  const Caller& caller = task_.plan->spec().caller;
  static_cast<void>(fchown((*capture)->write_end(), caller.uid, caller.gid) == 0);
  return capture;
}

std::optional<ChildEnd> Launch::LookAtEnd(EndQuestions questions) const {
  siginfo_t info{};
  const auto id = static_cast<id_t>(child_.pidfd.get());
  if (waitid(P_PIDFD, id, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 || info.si_pid == 0) {
    return {};
  }
  ChildEnd end{.at_ns = MonotonicNow()};
  const KernelFiles files("/");
  const std::string process = std::to_string(child_.pid);
  if (questions.migrations) {
    const auto text = files.Read(WithTarget(paths::kProcessSched, process));
    end.migrations = ParseCount(Field(text.value_or(""), "se.nr_migrations"));
    if (!made_in_place_ && end.migrations.value_or(0) > 0) --*end.migrations;
  }
  if (questions.schedule) {
    end.schedule = ReadSchedule(files, WithTarget(paths::kProcessSchedstat, process));
  }
  return end;
}

void Launch::Discard() {
  watch_.reset();
  Spawner* const spawner = std::exchange(spawner_, nullptr);
  if (spawner != nullptr && !spawner->Withdraw()) {
    // The process is still executing the runner's code, so this does not take long.
    if (auto child = spawner->Take()) KillAndWait(*child);
  }
  child_.pidfd.Reset();
  counters_.Close();
  profiler_.Close();
  stdout_.reset();
  stderr_.reset();
  parse_input_.Reset();
}

Spawned Launch::Abandon() {
  watch_.reset();
  services_.tree.GiveUp(child_.pid);
  profiler_.Close();
  area_.Abandon();
  return {child_.pid, std::move(child_.pidfd)};
}

void Launch::Kill() {
  SendKill(child_);
  // The child has not been reaped, so its process group ID cannot have been reused.
  kill(-child_.pid, SIGKILL);
  group_.Kill();
}

void Launch::ReadCounted(wire::RunFigures& figures) const {
  const TreeFigures tree = group_.ReadFigures();
  figures.Set("tree_cpu_time", tree.cpu_time_us);
  figures.Set("tree_memory_peak", tree.memory_peak_bytes);
  counters_.Read(figures);
}

bool Launch::Reap(siginfo_t& info, rusage& usage) {
  // The raw system call stores the usage of this process in its fifth argument.
  const long waited =
      syscall(SYS_waitid, P_PIDFD, child_.pidfd.get(), &info, WEXITED | WNOHANG | __WALL, &usage);
  if (waited != 0 || info.si_pid == 0) return false;
  services_.tree.Release(child_.pid);
  return true;
}

void Launch::FinishOutput() {
  if (stdout_) stdout_->Finish();
  stderr_->Finish();
  if (task_.needs->profile) profiler_.Stop();
}

Result<UniqueFd> Launch::TakeProfile(const wire::RunFigures& figures) {
  return profiler_.Take(figures.user_time_us + figures.system_time_us);
}

std::optional<UniqueFd> Launch::TakeParseInput() {
  if ((task_.parse_stderr ? *stderr_ : *stdout_).overflowed()) return {};
  lseek(parse_input_.get(), 0, SEEK_SET);
  return std::move(parse_input_);
}

}  // namespace benchd
