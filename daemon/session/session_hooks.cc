#include "daemon/session/session_hooks.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "daemon/session/failure.h"

namespace benchd {
namespace {

constexpr Nanoseconds kBuildTime = std::chrono::hours(1);

const Hook& HookOf(const Benchmark& benchmark, SessionHook which) {
  switch (which) {
    case SessionHook::kBuild:
      return benchmark.hooks.build;
    case SessionHook::kSetup:
      return benchmark.hooks.setup;
    case SessionHook::kCleanup:
      break;
  }
  return benchmark.hooks.cleanup;
}

const char* NameOf(SessionHook which) {
  switch (which) {
    case SessionHook::kBuild:
      return "build";
    case SessionHook::kSetup:
      return "setup";
    case SessionHook::kCleanup:
      break;
  }
  return "cleanup";
}

ChildSpec ChildOf(const SessionSpec& spec, const SessionId& id, const Benchmark& benchmark,
                  SessionHook which) {
  const Hooks& hooks = benchmark.hooks;
  ChildSpec child{.caller = spec.caller,
                  .argv = HookOf(benchmark, which).argv,
                  .env = spec.environment,
                  .cwd = hooks.cwd.empty() ? benchmark.arms.front().cwd : hooks.cwd,
                  .output = OutputKind::kLog};
  child.env["BENCHD_SESSION"] = id.value;
  child.env["BENCHD_BENCHMARK"] = benchmark.name;
  return child;
}

/// Looks one hook up, opens it and runs it to its end, unless it is `unwanted` by then: a launcher
/// cancels only what runs.
asio::awaitable<HookResult> RunOne(Launcher* launcher, ChildSpec child, Nanoseconds timeout,
                                   std::string place, std::function<bool()> unwanted) {
  HookResult result;
  const auto fail = [&result, &place](Error error) {
    result.runner_lost = error.code == ErrorCode::kUnavailable;
    result.failure = Failure{std::move(error).Within(place), FailedRun{}};
  };
  Result<ProgramIdentity> program = co_await launcher->Resolve(child);
  if (!program) {
    fail(std::move(program).error());
    co_return result;
  }
  child.program = std::move(program).value();
  std::vector<ChildSpec> children;
  children.push_back(std::move(child));
  Result<void> opened = co_await launcher->Open(std::move(children));
  if (!opened) {
    fail(std::move(opened).error());
    co_return result;
  }
  if (unwanted()) {
    co_await launcher->Close();
    fail(Error{ErrorCode::kCancelled, "cancelled", {}});
    co_return result;
  }
  SeriesOrder order;
  order.runs.emplace_back();
  order.timeout = timeout;
  SeriesOutcome outcome = co_await launcher->Run(std::move(order));
  co_await launcher->Close();
  if (outcome.error) {
    fail(std::move(*outcome.error));
    co_return result;
  }
  const RunOutcome& run = outcome.runs.front();
  result.log = LogOf(place, run.output);
  result.failure = HookFailure(place, timeout, run);
  co_return result;
}

}  // namespace

bool HasHook(const SessionSpec& spec, SessionHook which) {
  return std::any_of(spec.benchmarks.begin(), spec.benchmarks.end(),
                     [which](const Benchmark& b) { return HookOf(b, which).Exists(); });
}

asio::awaitable<HookResult> RunHooks(Launcher* launcher, const CancelToken* cancel,
                                     const SessionSpec* spec, SessionId id, SessionHook which) {
  HookResult all;
  const bool cleanup = which == SessionHook::kCleanup;
  const auto unwanted = [cancel, cleanup] {
    return cleanup ? cancel->stopped() : cancel->requested();
  };
  const Nanoseconds timeout = which == SessionHook::kBuild
                                  ? std::max(kBuildTime, spec->limits.timeout)
                                  : spec->limits.timeout;
  for (const Benchmark& benchmark : spec->benchmarks) {
    if (!HookOf(benchmark, which).Exists()) continue;
    std::string place = NameOf(which);
    if (spec->benchmarks.size() > 1) place += " of " + benchmark.name;
    ChildSpec child = ChildOf(*spec, id, benchmark, which);
    HookResult one =
        co_await RunOne(launcher, std::move(child), timeout, std::move(place), unwanted);
    if (one.failure) one.failure->run->benchmark = benchmark.name;
    all.log += one.log;
    if (one.failure) all.log += "== " + one.failure->error.message + "\n";
    all.runner_lost = all.runner_lost || one.runner_lost;
    if (one.failure && !all.failure) all.failure = std::move(one.failure);
    if (all.failure && (!cleanup || unwanted())) break;
  }
  co_return all;
}

}  // namespace benchd
