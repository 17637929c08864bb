#include "daemon/run/runner_launcher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "daemon/run/run_outcome.h"

namespace benchd {
namespace {

/// Far beyond any healthy answer, which includes hashing a large program on a slow disk.
constexpr std::chrono::minutes kLaunchTimeout{2};
/// What a run may take beyond its time limit: killing the whole tree, parsing its output.
constexpr std::chrono::minutes kRunPatience{1};

/// Where a program is looked up when the environment does not say: confstr(_CS_PATH).
constexpr const char* kDefaultPath = "/bin:/usr/bin";

wire::OpenChild ToOpenChild(std::uint32_t number, ChildSpec child) {
  wire::OpenChild open;
  open.child = number;
  open.caller = std::move(child.caller);
  open.argv = std::move(child.argv);
  for (const auto& [name, value] : child.env) open.env.push_back(name + "=" + value);
  open.cwd = std::move(child.cwd);
  open.input = std::move(child.input);
  open.output = child.output;
  open.output_path = std::move(child.output_path);
  open.parse = std::move(child.parse);
  open.cpus = std::move(child.cpus);
  open.program = std::move(child.program);
  open.metrics = std::move(child.metrics);
  return open;
}

wire::PlannedStart ToPlannedStart(const RunOrder& run) {
  return {run.child, run.padding_bytes, run.begins_block, run.variables};
}

wire::StartRuns ToStartRuns(const SeriesOrder& order) {
  wire::StartRuns question;
  question.timeout_ns = order.timeout.count();
  question.budget_ns = order.budget.count();
  question.stop_on_failure = order.stop_on_failure;
  for (const RunOrder& run : order.runs) question.runs.push_back(ToPlannedStart(run));
  if (order.next) question.next = ToPlannedStart(*order.next);
  return question;
}

/// Every run of the first block may take its whole time; a further one begins within the budget.
Nanoseconds PatienceFor(const SeriesOrder& order) {
  constexpr Nanoseconds kLongest = std::chrono::hours(24 * 365);
  const auto runs = static_cast<std::int64_t>(order.runs.size());
  const Nanoseconds each = std::min(order.timeout, kLongest / runs) + kRunPatience;
  return std::min(order.budget, kLongest) + runs * each;
}

Error Cancelled() { return Error{ErrorCode::kCancelled, "run: cancelled", {}}; }

}  // namespace

asio::awaitable<Result<ProgramIdentity>> RunnerLauncher::Resolve(ChildSpec child) {
  if (child.argv.empty()) co_return InvalidArgument("command", "empty", "name the program to run");
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  wire::ResolveProgram question;
  question.program = child.argv.front();
  const auto path = child.env.find("PATH");
  question.path = path == child.env.end() ? kDefaultPath : path->second;
  question.caller = std::move(child.caller);
  question.cwd = std::move(child.cwd);
  Result<wire::ProgramResolved> answer = co_await connection_.Ask<wire::ProgramResolved>(
      runner->generation, std::move(question), "looking up a program", kLaunchTimeout);
  if (!answer) co_return std::move(answer).error();
  co_return std::move(answer->program);
}

asio::awaitable<Result<void>> RunnerLauncher::Open(std::vector<ChildSpec> children) {
  generation_ = 0;
  formats_.clear();
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  const std::uint64_t generation = runner->generation;
  if (connection_.holder() != 0 && connection_.holder() != generation) {
    co_return Error{ErrorCode::kUnavailable, "benchd-runner died after the machine was prepared",
                    "submit the session again"};
  }
  Result<wire::Done> closed = co_await connection_.Ask<wire::Done>(
      generation, wire::CloseChildren{}, "opening the commands", kLaunchTimeout);
  if (!closed) co_return std::move(closed).error();
  if (!closed->result) co_return std::move(closed->result);
  std::vector<std::string> formats;
  for (ChildSpec& child : children) {
    const auto number = static_cast<std::uint32_t>(formats.size());
    formats.push_back(child.parse);
    Result<void> opened = co_await OpenOne(generation, number, std::move(child));
    if (!opened) co_return opened;
  }
  generation_ = generation;
  formats_ = std::move(formats);
  co_return Result<void>();
}

asio::awaitable<Result<void>> RunnerLauncher::OpenOne(std::uint64_t generation,
                                                      std::uint32_t number, ChildSpec child) {
  wire::OpenChild question = ToOpenChild(number, std::move(child));
  Result<wire::Done> opened = co_await connection_.Ask<wire::Done>(
      generation, std::move(question), "opening the commands", kLaunchTimeout);
  if (!opened) co_return std::move(opened).error();
  co_return std::move(opened->result);
}

std::optional<Error> RunnerLauncher::Refusal(const SeriesOrder& order) const {
  const auto refuse = [](const char* why) {
    return Error{ErrorCode::kFailedPrecondition, std::string("run: ") + why, {}};
  };
  if (running_) return refuse("another one is under way");
  if (order.runs.empty()) return refuse("none was ordered");
  for (const RunOrder& run : order.runs) {
    if (generation_ == 0 || run.child >= formats_.size()) return refuse("no such command is open");
  }
  return {};
}

asio::awaitable<SeriesOutcome> RunnerLauncher::Run(SeriesOrder order) {
  if (std::optional<Error> refusal = Refusal(order)) {
    co_return SeriesOutcome{{}, std::move(refusal)};
  }
  wire::StartRuns question = ToStartRuns(order);
  running_ = true;
  cancelled_ = false;
  Result<wire::RunsFinished> answer = co_await connection_.Ask<wire::RunsFinished>(
      generation_, std::move(question), "a run", PatienceFor(order));
  running_ = false;
  co_return TakeOutcomes(order, std::move(answer));
}

SeriesOutcome RunnerLauncher::TakeOutcomes(const SeriesOrder& order,
                                           Result<wire::RunsFinished> answer) const {
  SeriesOutcome outcome;
  if (answer) {
    for (wire::RunFigures& figures : answer->runs) {
      const std::size_t number = outcome.runs.size();
      if (number >= order.runs.size()) break;
      const std::string& format = formats_[order.runs[number].child];
      Result<RunOutcome> run = MakeRunOutcome(std::move(figures), format);
      if (!run) {
        outcome.error = std::move(run).error();
        return outcome;
      }
      outcome.runs.push_back(std::move(*run));
    }
    if (!answer->result) outcome.error = std::move(answer->result).error();
  } else {
    outcome.error = std::move(answer).error();
  }
  // Also when the last run ended just before the runner heard of it.
  if (cancelled_) outcome.error = Cancelled();
  return outcome;
}

void RunnerLauncher::CancelRun() {
  if (!running_ || cancelled_) return;
  cancelled_ = true;
  connection_.CancelRun(generation_);
}

asio::awaitable<void> RunnerLauncher::Close() {
  const std::uint64_t generation = std::exchange(generation_, 0);
  formats_.clear();
  // A runner that is gone has let go of everything.
  if (generation == 0 || generation != connection_.generation()) co_return;
  Result<wire::Done> closed = co_await connection_.Ask<wire::Done>(
      generation, wire::CloseChildren{}, "closing the commands", kLaunchTimeout);
  static_cast<void>(closed);
}

}  // namespace benchd
