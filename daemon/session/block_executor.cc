#include "daemon/session/block_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <memory>
#include <utility>

#include "core/base/result.h"
#include "daemon/session/inner_names.h"

namespace benchd {
namespace {

/// For runs this long, one round trip to benchd per run is negligible.
constexpr Nanoseconds kLongRun = std::chrono::seconds(1);

/// Counts the times that belong to each run. A time belongs to the first run that ends after it, or
/// to the last run. The times must be in order.
std::vector<std::uint32_t> CountByRun(const std::vector<SteadyTime>& times,
                                      const std::vector<RunOutcome>& runs) {
  std::vector<std::uint32_t> counts(runs.size(), 0);
  for (std::size_t time = 0, run = 0; time < times.size() && run < runs.size(); ++time) {
    while (run + 1 < runs.size() && times[time] >= runs[run].ended_at) ++run;
    ++counts[run];
  }
  return counts;
}

bool EndsBlock(const BatchPlan& plan, std::size_t run) {
  if (run + 1 < plan.runs.size()) return plan.runs[run + 1].BeginsBlock();
  return !plan.next || plan.next->BeginsBlock();
}

}  // namespace

Failure CancelledFailure() {
  return Failure{Error{ErrorCode::kCancelled, "session: cancelled", {}}, std::nullopt};
}

BlockExecutor::BlockExecutor(const SessionServices& services, const SessionSpec& spec,
                             const BenchmarkGroups& groups)
    : services_(services),
      spec_(spec),
      groups_(groups),
      children_(spec),
      owners_(OwnersIn(spec)),
      outputs_(spec) {}

void BlockExecutor::Use(RunnerId runner) {
  runner_ = runner;
  children_ = ChildTable(spec_);
  owners_ = OwnersIn(spec_);
}

/// Returns whether the process of a run runs a group, of which only one benchmark may remain.
bool BlockExecutor::IsOfGroup(const RunPlace& run) const {
  return run.phase == RunPhase::kMeasured && groups_.Leads(run.planned.benchmark);
}

/// Returns the benchmarks that the process of a run has.
std::vector<std::uint32_t> BlockExecutor::BenchmarksOf(const RunPlace& run) const {
  if (!IsOfGroup(run)) return {run.planned.benchmark};
  return groups_.MembersOf(run.planned.benchmark);
}

bool BlockExecutor::HasHooks(const RunPlace& run) const {
  return HasRunHooks(spec_.benchmarks[run.planned.benchmark]);
}

Batch BlockExecutor::OrderOf(const BatchPlan& plan) const {
  const auto order_of = [this](const RunPlace& run) {
    return RunOrder{children_.Arm(run.planned.benchmark, run.planned.arm),
                    run.planned.padding_bytes,
                    run.BeginsBlock(),
                    {}};
  };
  Batch order;
  order.timeout = spec_.limits.timeout;
  order.budget = plan.budget;
  order.stop_on_failure = !spec_.benchmarks[plan.runs.front().planned.benchmark].ignore_failure;
  for (const RunPlace& run : plan.runs) order.runs.push_back(order_of(run));
  if (plan.next && !HasHooks(plan.runs.front()) && !HasHooks(*plan.next)) {
    order.next = order_of(*plan.next);
  }
  return order;
}

asio::awaitable<BatchResult> BlockExecutor::Run(BatchPlan whole, std::function<void()> meanwhile) {
  if (services_.cancel.requested()) {
    if (meanwhile) meanwhile();
    BatchResult result;
    result.failure = CancelledFailure();
    co_return result;
  }
  const std::size_t done = unfinished_.runs.size() / BenchmarksOf(whole.runs.front()).size();
  BatchPlan plan = RestOf(std::move(whole), done, kMostRunsInBatch);
  const std::size_t most = MostAtOnce(plan);
  plan = RestOf(std::move(plan), 0, most);
  const RunPlace first = plan.runs.front();
  if (HasHooks(first)) {
    if (meanwhile) meanwhile();
    co_return co_await RunOneWithHooks(std::move(plan));
  }
  co_return co_await Execute(std::move(plan), std::move(meanwhile));
}

/// Returns the number of runs that can be ordered together.
std::size_t BlockExecutor::MostAtOnce(const BatchPlan& plan) const {
  const bool one_by_one = long_runs_ && plan.runs.front().phase != RunPhase::kWarmup;
  if (one_by_one || HasHooks(plan.runs.front())) return 1;
  const auto end = std::find_if(plan.runs.begin(), plan.runs.end(),
                                [this](const RunPlace& run) { return HasHooks(run); });
  return static_cast<std::size_t>(end - plan.runs.begin());
}

/// Runs one run with its hooks. The next run is not prepared, because it must wait for its hook.
asio::awaitable<BatchResult> BlockExecutor::RunOneWithHooks(BatchPlan plan) {
  const RunPlace run = plan.runs.front();
  HookResult prepared = co_await RunHookOf(run, HookKind::kPrepare);
  if (prepared.failure) {
    co_return BatchResult{{}, std::move(prepared.failure), prepared.runner_lost};
  }
  BatchResult result = co_await Execute(std::move(plan), nullptr);
  if (result.runner_lost || services_.cancel.requested()) co_return result;
  HookResult concluded = co_await RunHookOf(run, HookKind::kConclude);
  if (!result.failure) result.failure = std::move(concluded.failure);
  result.runner_lost = concluded.runner_lost;
  co_return result;
}

asio::awaitable<HookResult> BlockExecutor::RunHookOf(RunPlace run, HookKind which) {
  const Benchmark& benchmark = spec_.benchmarks[run.planned.benchmark];
  const Arm& arm = benchmark.arms[run.planned.arm];
  const Hook& hook = HookOf(benchmark, which, &arm);
  if (!hook.Exists()) co_return HookResult{};
  RunOrder order{children_.Of(which, run.planned.benchmark, run.planned.arm), 0, true, {}};
  order.variables = {fmt::format("BENCHD_BLOCK={}", run.block)};
  std::string place = std::string(NameOf(which)) + " of " + DescribePlace(spec_, run);
  ByHand by_hand{hook.argv, arm.cwd, {}};
  std::stop_token end = services_.cancel.end();
  HookResult result =
      co_await RunHook(&services_.runner, runner_, std::move(order), spec_.limits.timeout,
                       std::move(place), std::move(by_hand), std::move(end));
  unfinished_.log += result.log;
  if (services_.cancel.requested()) result.failure = CancelledFailure();
  if (result.failure && result.failure->run) SetRunPlace(spec_, run, *result.failure->run);
  co_return result;
}

/// Orders the runs of a plan. Posts `meanwhile`, so that it runs as soon as Run() waits for the
/// runner.
asio::awaitable<BatchOutcome> BlockExecutor::Order(const BatchPlan& plan,
                                                   std::function<void()> meanwhile) {
  const auto due = std::make_shared<std::function<void()>>(std::move(meanwhile));
  const auto call = [due] {
    if (*due) std::exchange(*due, nullptr)();
  };
  asio::post(co_await asio::this_coro::executor, call);
  Batch order = OrderOf(plan);
  std::stop_token end = services_.cancel.end();
  BatchOutcome outcome = co_await services_.runner.Run(runner_, std::move(order), std::move(end));
  call();
  co_return outcome;
}

asio::awaitable<BatchResult> BlockExecutor::Execute(BatchPlan plan,
                                                    std::function<void()> meanwhile) {
  BatchResult result;
  services_.disturbances.Begin();
  const SteadyTime began = services_.clock.Steady();
  BatchOutcome outcome = co_await Order(plan, std::move(meanwhile));
  const std::vector<std::uint32_t> disturbances =
      CountByRun(services_.disturbances.End(), outcome.runs);
  const auto runs = static_cast<Nanoseconds::rep>(std::max<std::size_t>(1, outcome.runs.size()));
  long_runs_ = (services_.clock.Steady() - began) / runs >= kLongRun;
  for (std::size_t i = 0; i < outcome.runs.size() && !result.failure; ++i) {
    result.failure = Take(plan.runs[i], std::move(outcome.runs[i]), disturbances[i]);
    const bool complete = !result.failure && EndsBlock(plan, i);
    if (complete) result.blocks.push_back(std::exchange(unfinished_, {}));
  }
  if (services_.cancel.requested()) {
    result.failure = CancelledFailure();
  } else if (!result.failure && outcome.error) {
    const std::size_t at = std::min(outcome.runs.size(), plan.runs.size() - 1);
    result.runner_lost = outcome.error->code == ErrorCode::kUnavailable;
    result.failure = LaunchFailure(spec_, plan.runs[at], std::move(*outcome.error));
  }
  co_return result;
}

/// Adds one run to its block. @return the failure that ends the session, if any
std::optional<Failure> BlockExecutor::Take(RunPlace place, RunOutcome outcome,
                                           std::uint32_t disturbances) {
  std::optional<Failure> failure = ExitFailure(spec_, place, outcome);
  const std::uint32_t benchmark = place.planned.benchmark;
  if (failure && !spec_.benchmarks[benchmark].ignore_failure) return failure;
  unfinished_.log += LogOf(DescribePlace(spec_, place), outcome.output);
  std::optional<OutputDigest> digest = std::move(outcome.stdout_digest);
  benchd::Run run{.benchmark = benchmark,
                  .block = place.block,
                  .position = place.planned.position,
                  .arm = place.planned.arm,
                  .phase = place.phase,
                  .started_at = outcome.started_at,
                  .exit = ExitOf(outcome),
                  .disturbances = disturbances};
  if (!IsOfGroup(place)) {
    DropOthers(owners_, spec_.benchmarks[benchmark].inner, outcome);
    DropInnerName(spec_.benchmarks[benchmark], outcome);
    AddRun(std::move(run), std::move(outcome));
  } else {
    const std::vector<std::uint32_t> benchmarks = BenchmarksOf(place);
    Result<std::vector<RunOutcome>> parts = DivideOutcome(spec_, benchmarks, std::move(outcome));
    if (!parts) return LaunchFailure(spec_, place, std::move(parts).error());
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
      run.benchmark = benchmarks[i];
      AddRun(run, std::move((*parts)[i]));
      run.disturbances = 0;  // they are counted once for the process
    }
  }
  if (!digest) return std::nullopt;
  return outputs_.Add(place, *std::move(digest));
}

/// Adds a run with these values to the unfinished block.
void BlockExecutor::AddRun(benchd::Run run, RunOutcome values) {
  run.samples = std::move(values.samples);
  run.metrics = std::move(values.metrics);
  unfinished_.runs.push_back(std::move(run));
}

BlockResult BlockExecutor::DropUnfinished() { return std::exchange(unfinished_, {}); }

}  // namespace benchd
