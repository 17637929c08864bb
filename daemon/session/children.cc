#include "daemon/session/children.h"

#include <algorithm>
#include <utility>

#include "core/base/try.h"
#include "core/model/inner_benchmarks.h"

namespace benchd {
namespace {

/// The search path if the environment has none: confstr(_CS_PATH).
constexpr const char* kDefaultPath = "/bin:/usr/bin";

/// Has each run of a child sampled. The profile takes the place of figures that the child prints.
void SampleRunsOf(ChildSpec& child, const Profile& profile) {
  child.profile = profile;
  child.parse.clear();
  child.adapter.clear();
  child.parse_stderr = false;
  child.parse_file.clear();
}

}  // namespace

const Hook& HookOf(const Benchmark& benchmark, HookKind which, const Arm* arm) {
  const Hooks& hooks = benchmark.hooks;
  if (arm != nullptr && which == HookKind::kPrepare && arm->prepare.Exists()) return arm->prepare;
  if (arm != nullptr && which == HookKind::kConclude && arm->conclude.Exists()) {
    return arm->conclude;
  }
  switch (which) {
    case HookKind::kBuild:
      return hooks.build;
    case HookKind::kSetup:
      return hooks.setup;
    case HookKind::kPrepare:
      return hooks.prepare;
    case HookKind::kConclude:
      return hooks.conclude;
    case HookKind::kCleanup:
      break;
  }
  return hooks.cleanup;
}

namespace {

// Checks only the first arm, because either all arms have a hook or no arm has one
// (queue/validate_spec.cc).
bool HasRunHook(const Benchmark& benchmark, HookKind which) {
  return HookOf(benchmark, which, &benchmark.arms.front()).Exists();
}

}  // namespace

bool HasRunHooks(const Benchmark& benchmark) {
  return HasRunHook(benchmark, HookKind::kPrepare) || HasRunHook(benchmark, HookKind::kConclude);
}

ChildTable::ChildTable(const SessionSpec& spec) {
  std::uint32_t next = 0;
  const auto number = [&next](const Benchmark& benchmark, bool exists) {
    const std::uint32_t first = next;
    if (exists) next += static_cast<std::uint32_t>(benchmark.arms.size());
    return first;
  };
  for (const Benchmark& benchmark : spec.benchmarks) {
    first_arm_.push_back(number(benchmark, true));
  }
  arms_ = next;
  for (const Benchmark& benchmark : spec.benchmarks) {
    first_prepare_.push_back(number(benchmark, HasRunHook(benchmark, HookKind::kPrepare)));
    first_conclude_.push_back(number(benchmark, HasRunHook(benchmark, HookKind::kConclude)));
  }
}

std::uint32_t ChildTable::Arm(std::size_t benchmark, std::size_t arm) const {
  return first_arm_[benchmark] + static_cast<std::uint32_t>(arm);
}

std::uint32_t ChildTable::Of(HookKind hook, std::size_t benchmark, std::size_t arm) const {
  const auto& first = hook == HookKind::kPrepare ? first_prepare_ : first_conclude_;
  return first[benchmark] + static_cast<std::uint32_t>(arm);
}

ChildSpec ChildOfArm(const SessionSpec& spec, const Benchmark& benchmark, const Arm& arm) {
  ChildSpec child{.caller = spec.caller,
                  .argv = arm.argv,
                  .env = spec.environment,
                  .cwd = arm.cwd,
                  .input = arm.input.empty() ? benchmark.input : arm.input,
                  .output = benchmark.output,
                  .output_path = benchmark.output_path,
                  .parse = benchmark.parse,
                  .adapter = benchmark.adapter,
                  .parse_stderr = benchmark.parse_stderr,
                  .check_output = benchmark.check_output,
                  .parse_file = benchmark.parse_file,
                  .accept_exit = benchmark.accept_exit,
                  .program = arm.program.value_or(ProgramIdentity{})};
  for (const auto& [name, value] : arm.env) child.env[name] = value;
  return child;
}

ChildSpec ChildOfHook(const SessionSpec& spec, const SessionId& id, const Benchmark& benchmark,
                      const Arm* arm, HookKind which) {
  const std::string& cwd =
      benchmark.hooks.cwd.empty() ? benchmark.arms.front().cwd : benchmark.hooks.cwd;
  ChildSpec child{.caller = spec.caller,
                  .argv = HookOf(benchmark, which, arm).argv,
                  .env = spec.environment,
                  .cwd = arm != nullptr ? arm->cwd : cwd,
                  .output = OutputKind::kLog};
  if (arm != nullptr) {
    for (const auto& [name, value] : arm->env) child.env[name] = value;
    child.env["BENCHD_ARM"] = arm->name;
  }
  child.env["BENCHD_SESSION"] = id.value;
  // Build and setup run before the benchmarks inside the programs are known.
  child.env["BENCHD_BENCHMARK"] = arm != nullptr ? benchmark.name : SubmittedName(benchmark);
  return child;
}

ProgramQuery QueryFor(const ChildSpec& child) {
  const auto path = child.env.find("PATH");
  return {.caller = child.caller,
          .program = child.argv.empty() ? std::string() : child.argv.front(),
          .path = path == child.env.end() ? kDefaultPath : path->second,
          .cwd = child.cwd};
}

std::vector<ChildSpec> ChildrenOf(const SessionSpec& spec, const SessionId& id,
                                  const std::vector<int>& cpus) {
  std::vector<ChildSpec> children;
  for (const Benchmark& benchmark : spec.benchmarks) {
    for (const Arm& arm : benchmark.arms) {
      children.push_back(ChildOfArm(spec, benchmark, arm));
      children.back().metrics = OptionalGates(benchmark);
      if (spec.profile) SampleRunsOf(children.back(), *spec.profile);
    }
  }
  for (const Benchmark& benchmark : spec.benchmarks) {
    for (const HookKind which : {HookKind::kPrepare, HookKind::kConclude}) {
      if (!HasRunHook(benchmark, which)) continue;
      for (const Arm& arm : benchmark.arms) {
        children.push_back(ChildOfHook(spec, id, benchmark, &arm, which));
      }
    }
  }
  for (ChildSpec& child : children) child.cpus = cpus;
  return children;
}

namespace {

constexpr Nanoseconds kBuildTime = std::chrono::hours(1);

HookResult Failed(const std::string& place, Error error) {
  const bool runner_lost = error.code == ErrorCode::kUnavailable;
  return {Failure{std::move(error).Within(place), FailedRun{}}, runner_lost, {}};
}

HookResult ResultOf(const std::string& place, Nanoseconds timeout, const RunOutcome& run,
                    const ByHand& by_hand) {
  return {HookFailure(place, timeout, run, by_hand), false, LogOf(place, run.output)};
}

/// Runs one hook of the session.
asio::awaitable<HookResult> RunAlone(Runner* runner, ChildSpec child, Nanoseconds timeout,
                                     std::string place, ByHand by_hand, std::stop_token stop) {
  Result<RunOutcome> run = co_await RunOnce(runner, std::move(child), timeout, std::move(stop));
  if (!run) co_return Failed(place, std::move(run).error());
  co_return ResultOf(place, timeout, *run, by_hand);
}

}  // namespace

asio::awaitable<Result<RunOutcome>> RunOnce(Runner* runner, ChildSpec child, Nanoseconds timeout,
                                            std::stop_token stop) {
  ProgramQuery query = QueryFor(child);
  CO_TRY(child.program, co_await runner->Resolve(std::move(query)));
  std::optional<MachineRequest> no_settings;
  CO_TRY(const Lease lease, co_await runner->Acquire(no_settings));
  std::vector<ChildSpec> children;
  children.push_back(std::move(child));
  CO_TRY_VOID(co_await runner->Open(lease.runner, std::move(children)));
  Batch batch;
  batch.runs.emplace_back();
  batch.timeout = timeout;
  BatchOutcome outcome = co_await runner->Run(lease.runner, std::move(batch), std::move(stop));
  co_await runner->Release(lease.runner);
  if (outcome.error) co_return *std::move(outcome.error);
  co_return std::move(outcome.runs.front());
}

bool HasHook(const SessionSpec& spec, HookKind which) {
  return std::any_of(spec.benchmarks.begin(), spec.benchmarks.end(),
                     [which](const Benchmark& b) { return HookOf(b, which).Exists(); });
}

asio::awaitable<HookResult> RunHook(Runner* runner, RunnerId id, RunOrder order,
                                    Nanoseconds timeout, std::string place, ByHand by_hand,
                                    std::stop_token stop) {
  Batch batch;
  batch.runs.push_back(std::move(order));
  batch.timeout = timeout;
  BatchOutcome outcome = co_await runner->Run(id, std::move(batch), std::move(stop));
  if (outcome.error) co_return Failed(place, *std::move(outcome.error));
  co_return ResultOf(place, timeout, outcome.runs.front(), by_hand);
}

asio::awaitable<HookResult> RunHooks(Runner* runner, const CancelToken* cancel,
                                     const SessionSpec* spec, SessionId id, HookKind which,
                                     bool confirming) {
  HookResult all;
  const bool cleanup = which == HookKind::kCleanup;
  const std::stop_token stop = cleanup ? cancel->stop() : cancel->end();
  const Nanoseconds timeout =
      which == HookKind::kBuild ? std::max(kBuildTime, spec->limits.timeout) : spec->limits.timeout;
  for (const Benchmark& benchmark : spec->benchmarks) {
    if (!HookOf(benchmark, which).Exists()) continue;
    std::string place(NameOf(which));
    if (spec->benchmarks.size() > 1) place += " of " + SubmittedName(benchmark);
    ChildSpec child = ChildOfHook(*spec, id, benchmark, nullptr, which);
    if (confirming) child.env["BENCHD_PHASE"] = NameOf(RunPhase::kConfirming);
    ByHand by_hand{child.argv, child.cwd, {}};
    // The command that checks out and builds commits is long and generated by the client.
    if (which == HookKind::kBuild) {
      by_hand.instead = "benchctl show " + id.value + " --log prints the whole output";
    }
    HookResult one = co_await RunAlone(runner, std::move(child), timeout, std::move(place),
                                       std::move(by_hand), stop);
    if (one.failure) one.failure->run->benchmark = benchmark.name;
    all.log += one.log;
    if (one.failure) all.log += "== " + one.failure->error.message + "\n";
    all.runner_lost = all.runner_lost || one.runner_lost;
    if (one.failure && !all.failure) all.failure = std::move(one.failure);
    if (all.failure && (!cleanup || stop.stop_requested())) break;
  }
  co_return all;
}

}  // namespace benchd
