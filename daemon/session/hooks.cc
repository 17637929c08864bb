#include "daemon/session/hooks.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace benchd {
namespace {

constexpr Nanoseconds kBuildTime = std::chrono::hours(1);

HookResult Failed(const std::string& place, Error error) {
  const bool runner_lost = error.code == ErrorCode::kUnavailable;
  return {Failure{std::move(error).Within(place), FailedRun{}}, runner_lost, {}};
}

/// Looks one hook up, opens it and runs it.
asio::awaitable<HookResult> RunAlone(Runner* runner, ChildSpec child, Nanoseconds timeout,
                                     std::string place, std::stop_token stop) {
  ProgramQuery query = QueryFor(child);
  Result<ProgramIdentity> program = co_await runner->Resolve(std::move(query));
  if (!program) co_return Failed(place, std::move(program).error());
  child.program = std::move(program).value();
  std::optional<MachineRequest> no_settings;
  Result<Lease> lease = co_await runner->Acquire(no_settings);
  if (!lease) co_return Failed(place, std::move(lease).error());
  ByHand by_hand{child.argv, child.cwd};
  std::vector<ChildSpec> children;
  children.push_back(std::move(child));
  Result<void> opened = co_await runner->Open(lease->runner, std::move(children));
  if (!opened) co_return Failed(place, std::move(opened).error());
  RunOrder order;
  HookResult result = co_await RunHook(runner, lease->runner, std::move(order), timeout,
                                       std::move(place), std::move(by_hand), std::move(stop));
  co_await runner->Release(lease->runner);
  co_return result;
}

}  // namespace

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
  const RunOutcome& run = outcome.runs.front();
  co_return HookResult{HookFailure(place, timeout, run, by_hand), false, LogOf(place, run.output)};
}

asio::awaitable<HookResult> RunHooks(Runner* runner, const CancelToken* cancel,
                                     const SessionSpec* spec, SessionId id, HookKind which) {
  HookResult all;
  const bool cleanup = which == HookKind::kCleanup;
  const std::stop_token stop = cleanup ? cancel->stop() : cancel->end();
  const Nanoseconds timeout =
      which == HookKind::kBuild ? std::max(kBuildTime, spec->limits.timeout) : spec->limits.timeout;
  for (const Benchmark& benchmark : spec->benchmarks) {
    if (!HookOf(benchmark, which).Exists()) continue;
    std::string place(NameOf(which));
    if (spec->benchmarks.size() > 1) place += " of " + benchmark.name;
    ChildSpec child = ChildOfHook(*spec, id, benchmark, nullptr, which);
    HookResult one = co_await RunAlone(runner, std::move(child), timeout, std::move(place), stop);
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
