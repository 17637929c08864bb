#include "daemon/session/run_session.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/session_analysis.h"
#include "daemon/session/failure.h"
#include "daemon/session/machine_end.h"
#include "daemon/session/series_plan.h"

namespace benchd {
namespace {

/// Reports are made this often at most (the contract allows 20 Hz). Each costs the next run its
/// start: about a millisecond in which nothing is measured.
constexpr Nanoseconds kReportInterval = std::chrono::milliseconds(100);

/// A complete block and what its runs printed.
struct BlockResult {
  std::vector<Run> runs;
  std::string log;
};

/// The complete blocks of a series, and why there is none after them.
struct SeriesResult {
  std::vector<BlockResult> blocks;
  std::optional<Failure> failure;
};

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

Failure CancelledFailure() {
  return Failure{Error{ErrorCode::kCancelled, "session: cancelled", {}}, std::nullopt};
}

std::vector<ChildSpec> ChildrenOf(const SessionSpec& spec, const MachineReport& machine) {
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
                      .cpus = machine.benchmark_cpus,
                      .program = arm.program.value_or(ProgramIdentity{})};
      for (const auto& [name, value] : arm.env) child.env[name] = value;
      children.push_back(std::move(child));
    }
  }
  return children;
}

/// The state of one session between its steps; lives in the frame of RunSession.
class Session {
 public:
  Session(SessionServices services, SessionRecord record)
      : services_(std::move(services)),
        spec_(std::move(record.spec)),
        snapshot_(std::move(record.snapshot)),
        blocks_(spec_.benchmarks.size(), 0) {
    std::uint32_t next = 0;
    for (const Benchmark& benchmark : spec_.benchmarks) {
      first_child_.push_back(next);
      next += static_cast<std::uint32_t>(benchmark.arms.size());
    }
  }

  asio::awaitable<std::optional<Failure>> Execute();
  asio::awaitable<void> LetGo();
  SessionSnapshot End(std::optional<Failure> failure);

 private:
  asio::awaitable<std::optional<Failure>> Prepare();
  asio::awaitable<std::optional<Failure>> WarmUp();
  asio::awaitable<std::optional<Failure>> Measure();
  SeriesPlan PlanNext() const;
  asio::awaitable<SeriesResult> RunSeries(SeriesPlan plan);
  SeriesOrder OrderOf(const SeriesPlan& plan) const;
  std::optional<Failure> Take(RunPlace place, RunOutcome outcome, std::uint32_t disturbances,
                              BlockResult& block);
  std::optional<Failure> Digest(std::vector<BlockResult> blocks);
  asio::awaitable<std::optional<Failure>> Commit();
  void Keep(BlockResult block);

  bool TimeIsUp() const { return Elapsed() >= spec_.limits.max_time; }
  Nanoseconds Elapsed() const;
  void Publish();
  void PublishReport(Report report);
  Report Complete(Report report) const;
  void Forecast(Report& report) const;

  SessionServices services_;
  SessionSpec spec_;
  SessionSnapshot snapshot_;
  std::optional<SessionAnalysis> analysis_;
  std::vector<std::uint64_t> blocks_;       // measured ones, by benchmark
  std::vector<std::uint32_t> first_child_;  // of each benchmark, in the launcher's numbering
  std::vector<Run> uncommitted_;            // complete blocks, in order of execution
  std::string uncommitted_log_;
  std::optional<SteadyTime> measuring_since_;
  std::optional<SteadyTime> last_report_;
  std::uint64_t disturbances_ = 0;
  std::uint64_t failed_runs_ = 0;
  MachineEnd machine_end_;
};

asio::awaitable<std::optional<Failure>> Session::Execute() {
  std::optional<Failure> failure = co_await Prepare();
  if (!failure) failure = co_await WarmUp();
  if (!failure) failure = co_await Measure();
  // What was measured is kept, also when a later run failed.
  std::optional<Failure> unkept = co_await Commit();
  co_return failure ? std::move(failure) : std::move(unkept);
}

asio::awaitable<std::optional<Failure>> Session::Prepare() {
  snapshot_.state = SessionState::kPreparing;
  snapshot_.position = 0;
  snapshot_.eta.reset();
  snapshot_.started_at = services_.clock.Now();
  Publish();

  Result<SessionAnalysis> analysis = SessionAnalysis::Create(spec_);
  if (!analysis) co_return Failure{std::move(analysis).error(), std::nullopt};
  analysis_ = std::move(analysis).value();

  MachineRequest request{spec_.machine_profile, spec_.isolation, spec_.cpus};
  Result<MachineReport> machine = co_await services_.machine.Acquire(std::move(request));
  if (!machine) {
    const bool refused = machine.error().code == ErrorCode::kFailedPrecondition;
    co_return Failure{std::move(machine).error(), std::nullopt, refused};
  }

  std::vector<ChildSpec> children = ChildrenOf(spec_, *machine);
  Result<void> opened = co_await services_.launcher.Open(std::move(children));
  if (!opened) co_return Failure{std::move(opened).error(), std::nullopt};
  if (services_.cancel.requested()) co_return CancelledFailure();

  snapshot_.machine = std::move(machine).value();
  snapshot_.state = SessionState::kRunning;
  Publish();
  co_return std::nullopt;
}

asio::awaitable<std::optional<Failure>> Session::WarmUp() {
  const std::uint64_t wanted = spec_.schedule.warmup * spec_.benchmarks.size();
  for (std::uint64_t done = 0; done < wanted;) {
    SeriesResult result = co_await RunSeries(PlanWarmup(spec_, done));
    done += result.blocks.size();
    for (BlockResult& block : result.blocks) {
      analysis_->AddWarmup(block.runs);
      Keep(std::move(block));
    }
    if (result.failure) co_return std::move(result.failure);
  }
  co_return co_await Commit();
}

asio::awaitable<std::optional<Failure>> Session::Measure() {
  measuring_since_ = services_.clock.Steady();
  while (!analysis_->Finished() && !TimeIsUp()) {
    SeriesResult result = co_await RunSeries(PlanNext());
    std::optional<Failure> unusable = Digest(std::move(result.blocks));
    if (result.failure) co_return std::move(result.failure);
    const SteadyTime now = services_.clock.Steady();
    const bool report_due = !last_report_ || now - *last_report_ >= kReportInterval;
    if (!report_due && !unusable) continue;
    // Committed before anybody sees what it led to.
    std::optional<Failure> failure = co_await Commit();
    if (failure) co_return failure;
    if (unusable) co_return unusable;
    last_report_ = now;
    PublishReport(analysis_->Look());
  }
  co_return std::nullopt;
}

SeriesPlan Session::PlanNext() const {
  const SessionAnalysis& analysis = *analysis_;
  return PlanMeasured(spec_, analysis.OpenBenchmarks(), blocks_,
                      [&analysis](std::uint64_t blocks) { return analysis.NextLook(blocks); });
}

/// Adds measured blocks to the statistics; a failure when they cannot be computed with.
std::optional<Failure> Session::Digest(std::vector<BlockResult> blocks) {
  std::optional<Failure> failure;
  for (BlockResult& block : blocks) {
    ++blocks_[block.runs.front().benchmark];
    for (const Run& run : block.runs) disturbances_ += run.disturbances;
    if (!failure) {
      Result<void> added = analysis_->Add(block.runs);
      if (!added) failure = Failure{std::move(added).error(), std::nullopt};
    }
    Keep(std::move(block));
  }
  return failure;
}

SeriesOrder Session::OrderOf(const SeriesPlan& plan) const {
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

asio::awaitable<SeriesResult> Session::RunSeries(SeriesPlan plan) {
  SeriesResult result;
  if (services_.cancel.requested()) {
    result.failure = CancelledFailure();
    co_return result;
  }
  services_.disturbances.Begin();
  SeriesOutcome outcome = co_await services_.launcher.Run(OrderOf(plan));
  const std::vector<std::uint32_t> disturbances =
      CountByRun(services_.disturbances.End(), outcome.runs);
  BlockResult block;
  for (std::size_t i = 0; i < outcome.runs.size() && !result.failure; ++i) {
    const SeriesRun& run = plan.runs[i];
    const RunPlace place{spec_, run.planned, run.phase, run.block};
    result.failure = Take(place, std::move(outcome.runs[i]), disturbances[i], block);
    const bool complete = i + 1 == plan.runs.size() || plan.runs[i + 1].begins_block;
    if (!result.failure && complete) result.blocks.push_back(std::exchange(block, {}));
  }
  if (services_.cancel.requested()) {
    result.failure = CancelledFailure();
  } else if (!result.failure && outcome.error) {
    const SeriesRun& run = plan.runs[std::min(outcome.runs.size(), plan.runs.size() - 1)];
    result.failure = LaunchFailure(RunPlace{spec_, run.planned, run.phase, run.block},
                                   std::move(*outcome.error));
  }
  co_return result;
}

/// Adds one run to its block, or tells why it ends the session.
std::optional<Failure> Session::Take(RunPlace place, RunOutcome outcome, std::uint32_t disturbances,
                                     BlockResult& block) {
  std::optional<Failure> failure = ExitFailure(place, outcome);
  if (failure && !spec_.benchmarks[place.planned.benchmark].ignore_failure) return failure;
  failed_runs_ += failure ? 1 : 0;
  if (!outcome.output.empty()) {
    block.log += "== " + DescribePlace(place) + "\n" + outcome.output;
    if (block.log.back() != '\n') block.log += '\n';
  }
  block.runs.push_back(Run{.benchmark = place.planned.benchmark,
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

void Session::Keep(BlockResult block) {
  uncommitted_.insert(uncommitted_.end(), std::make_move_iterator(block.runs.begin()),
                      std::make_move_iterator(block.runs.end()));
  uncommitted_log_ += block.log;
}

/// Between runs and before a report: blocks of a few milliseconds share a transaction, as a commit
/// costs more than they do.
asio::awaitable<std::optional<Failure>> Session::Commit() {
  std::vector<Run> runs = std::exchange(uncommitted_, {});
  std::string log = std::exchange(uncommitted_log_, {});
  Result<void> kept = {};
  if (!runs.empty()) kept = co_await services_.store.AppendBlock(snapshot_.id, std::move(runs));
  if (kept && !log.empty()) kept = co_await services_.store.AppendLog(snapshot_.id, std::move(log));
  if (!kept) co_return Failure{std::move(kept).error().Within("storing a block"), std::nullopt};
  co_return std::nullopt;
}

Nanoseconds Session::Elapsed() const {
  return measuring_since_ ? services_.clock.Steady() - *measuring_since_ : Nanoseconds::zero();
}

void Session::Publish() { services_.publish(snapshot_); }

void Session::PublishReport(Report report) {
  snapshot_.report = Complete(std::move(report));
  Publish();
}

/// What the statistics cannot know: clock, machine, failures that were ignored.
Report Session::Complete(Report report) const {
  report.elapsed = Elapsed();
  report.disturbances = disturbances_;
  if (failed_runs_ > 0) {
    report.warnings.push_back({.code = "failed_runs",
                               .message = std::to_string(failed_runs_) +
                                          " runs failed and count like any other "
                                          "(--ignore-failure)",
                               .benchmark = {},
                               .arm = {}});
  }
  Forecast(report);
  return report;
}

/// Expected times to verdict from expected blocks and the mean time of a block so far.
void Session::Forecast(Report& report) const {
  std::uint64_t blocks = 0;
  for (const std::uint64_t count : blocks_) blocks += count;
  if (blocks == 0) return;
  const double block_ns = static_cast<double>(report.elapsed.count()) / static_cast<double>(blocks);
  const double left_ns =
      std::max(0.0, static_cast<double>((spec_.limits.max_time - report.elapsed).count()));
  double longest_ns = 0;
  bool open = false;
  for (Comparison& comparison : report.comparisons) {
    if (comparison.role != ComparisonRole::kGate || comparison.decided) continue;
    open = true;
    // An unknown time to verdict is the time limit: the session ends there at the latest.
    const double eta_ns = comparison.expected_blocks ? *comparison.expected_blocks * block_ns *
                                                           static_cast<double>(blocks_.size())
                                                     : left_ns;
    if (comparison.expected_blocks) {
      comparison.eta = Nanoseconds(static_cast<std::int64_t>(std::min(eta_ns, left_ns)));
    }
    longest_ns = std::max(longest_ns, std::min(eta_ns, left_ns));
  }
  if (open) report.eta = Nanoseconds(static_cast<std::int64_t>(longest_ns));
}

asio::awaitable<void> Session::LetGo() {
  co_await services_.launcher.Close();
  machine_end_ = co_await services_.machine.Release();
}

SessionSnapshot Session::End(std::optional<Failure> failure) {
  snapshot_.ended_at = services_.clock.Now();
  if (services_.cancel.requested()) {
    snapshot_.state = SessionState::kCancelled;
    snapshot_.cancelled_by = services_.cancel.by();
  } else if (failure) {
    snapshot_.state = SessionState::kFailed;
    snapshot_.failure = std::move(failure);
  } else {
    snapshot_.state = SessionState::kDone;
    snapshot_.report = Complete(analysis_->Conclude());
  }
  TellMachineEnd(machine_end_, snapshot_);
  return snapshot_;
}

}  // namespace

Result<void> CheckStatistics(const SessionSpec& spec) {
  Result<SessionAnalysis> analysis = SessionAnalysis::Create(spec);
  if (!analysis) return std::move(analysis).error();
  return {};
}

asio::awaitable<SessionSnapshot> RunSession(SessionServices services, SessionRecord record) {
  Launcher& launcher = services.launcher;
  CancelToken& cancel = services.cancel;
  cancel.OnRequest([&launcher] { launcher.CancelRun(); });
  Session session(std::move(services), std::move(record));
  std::optional<Failure> failure = co_await session.Execute();
  co_await session.LetGo();
  cancel.OnRequest({});
  co_return session.End(std::move(failure));
}

}  // namespace benchd
