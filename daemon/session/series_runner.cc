#include "daemon/session/series_runner.h"

#include <algorithm>
#include <utility>

#include "daemon/base/error.h"

namespace benchd {
namespace {

/// From then on a word with benchd between two runs is nothing.
constexpr Nanoseconds kLongRun = std::chrono::seconds(1);

/// How many of the times, which are in order, fall to each run: those up to its end, and to the
/// last one those after it.
std::vector<std::uint32_t> CountByRun(const std::vector<SteadyTime>& times,
                                      const std::vector<RunOutcome>& runs) {
  std::vector<std::uint32_t> counts(runs.size(), 0);
  for (std::size_t time = 0, run = 0; time < times.size() && run < runs.size(); ++time) {
    while (run + 1 < runs.size() && times[time] >= runs[run].ended_at) ++run;
    ++counts[run];
  }
  return counts;
}

bool EndsBlock(const SeriesPlan& plan, std::size_t run) {
  if (run + 1 < plan.runs.size()) return plan.runs[run + 1].begins_block;
  return !plan.next || plan.next->begins_block;
}

}  // namespace

Failure CancelledFailure() {
  return Failure{Error{ErrorCode::kCancelled, "session: cancelled", {}}, std::nullopt};
}

std::vector<ChildSpec> ChildrenOf(const SessionSpec& spec, const std::vector<int>& cpus) {
  std::vector<ChildSpec> children;
  for (const Benchmark& benchmark : spec.benchmarks) {
    for (const Arm& arm : benchmark.arms) {
      ChildSpec child{.caller = spec.caller,
                      .argv = arm.argv,
                      .env = spec.environment,
                      .cwd = arm.cwd,
                      .input = benchmark.input,
                      .output = benchmark.output,
                      .output_path = benchmark.output_path,
                      .parse = benchmark.parse,
                      .cpus = cpus,
                      .program = arm.program.value_or(ProgramIdentity{})};
      for (const auto& [name, value] : arm.env) child.env[name] = value;
      children.push_back(std::move(child));
    }
  }
  return children;
}

SeriesRunner::SeriesRunner(Services services, const SessionSpec& spec)
    : services_(services), spec_(spec) {
  std::uint32_t next = 0;
  for (const Benchmark& benchmark : spec.benchmarks) {
    first_child_.push_back(next);
    next += static_cast<std::uint32_t>(benchmark.arms.size());
  }
}

SeriesOrder SeriesRunner::OrderOf(const SeriesPlan& plan) const {
  const auto order_of = [this](const SeriesRun& run) {
    return RunOrder{first_child_[run.planned.benchmark] + run.planned.arm,
                    run.planned.padding_bytes, run.begins_block};
  };
  SeriesOrder order;
  order.timeout = spec_.limits.timeout;
  order.budget = kReportInterval;
  order.stop_on_failure = !spec_.benchmarks[plan.runs.front().planned.benchmark].ignore_failure;
  for (const SeriesRun& run : plan.runs) order.runs.push_back(order_of(run));
  if (plan.next) order.next = order_of(*plan.next);
  return order;
}

asio::awaitable<SeriesResult> SeriesRunner::Run(SeriesPlan whole) {
  SeriesResult result;
  if (services_.cancel.requested()) {
    result.failure = CancelledFailure();
    co_return result;
  }
  const bool one_by_one = long_runs_ && whole.runs.front().phase == RunPhase::kMeasured;
  const SeriesPlan plan =
      RestOf(std::move(whole), unfinished_.runs.size(), one_by_one ? 1 : kMostRunsInSeries);
  services_.disturbances.Begin();
  const SteadyTime began = services_.clock.Steady();
  SeriesOutcome outcome = co_await services_.launcher.Run(OrderOf(plan));
  const std::vector<std::uint32_t> disturbances =
      CountByRun(services_.disturbances.End(), outcome.runs);
  const auto runs = static_cast<Nanoseconds::rep>(std::max<std::size_t>(1, outcome.runs.size()));
  long_runs_ = (services_.clock.Steady() - began) / runs >= kLongRun;
  for (std::size_t i = 0; i < outcome.runs.size() && !result.failure; ++i) {
    result.failure = Take(PlaceOf(plan.runs[i]), std::move(outcome.runs[i]), disturbances[i]);
    const bool complete = !result.failure && EndsBlock(plan, i);
    if (complete) result.blocks.push_back(std::exchange(unfinished_, {}));
  }
  if (services_.cancel.requested()) {
    result.failure = CancelledFailure();
  } else if (!result.failure && outcome.error) {
    const std::size_t at = std::min(outcome.runs.size(), plan.runs.size() - 1);
    result.runner_lost = outcome.error->code == ErrorCode::kUnavailable;
    result.failure = LaunchFailure(PlaceOf(plan.runs[at]), std::move(*outcome.error));
  }
  co_return result;
}

/// Adds one run to its block, or tells why it ends the session.
std::optional<Failure> SeriesRunner::Take(RunPlace place, RunOutcome outcome,
                                          std::uint32_t disturbances) {
  std::optional<Failure> failure = ExitFailure(place, outcome);
  if (failure && !spec_.benchmarks[place.planned.benchmark].ignore_failure) return failure;
  if (!outcome.output.empty()) {
    unfinished_.log += "== " + DescribePlace(place) + "\n" + outcome.output;
    if (unfinished_.log.back() != '\n') unfinished_.log += '\n';
  }
  unfinished_.runs.push_back(benchd::Run{.benchmark = place.planned.benchmark,
                                         .block = place.block,
                                         .position = place.planned.position,
                                         .arm = place.planned.arm,
                                         .phase = place.phase,
                                         .started_at = outcome.started_at,
                                         .exit = outcome.exit,
                                         .disturbances = disturbances,
                                         .samples = std::move(outcome.samples),
                                         .metrics = std::move(outcome.metrics)});
  return std::nullopt;
}

BlockResult SeriesRunner::DropUnfinished() { return std::exchange(unfinished_, {}); }

}  // namespace benchd
