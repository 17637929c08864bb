#include "daemon/session/run_session.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/arm_order.h"
#include "core/analysis/benchmark_groups.h"
#include "core/analysis/confirmed_analysis.h"
#include "core/analysis/forecast.h"
#include "core/analysis/profile_analysis.h"
#include "core/analysis/profile_samples.h"
#include "core/analysis/run_units.h"
#include "core/analysis/worst_runs.h"
#include "core/base/try.h"
#include "core/model/inner_benchmarks.h"
#include "core/model/run.h"
#include "core/model/second_trees.h"
#include "daemon/session/batch_plan.h"
#include "daemon/session/block_executor.h"
#include "daemon/session/block_log.h"
#include "daemon/session/children.h"
#include "daemon/session/discovery.h"
#include "daemon/session/failure.h"
#include "daemon/session/group_commands.h"
#include "daemon/session/preparation.h"
#include "daemon/session/session_notes.h"
#include "daemon/session/unmatched_benchmarks.h"

namespace benchd {
namespace {

/// The pause before another runner is tried.
constexpr Nanoseconds kRunnerPause = std::chrono::seconds(1);
/// The maximum number of runs of a session for which the worst runs are determined, because the
/// values of all runs are held in memory.
constexpr std::uint64_t kMostExplained = 100'000;

/// Counts how often benchd-runner died in a session without a block measured in between, so that a
/// benchmark that kills it cannot do so forever.
class RunnerDeaths {
 public:
  /// Counts another death, after `measured_blocks` blocks. @return whether to try again
  bool ShouldRetry(std::uint64_t measured_blocks) {
    deaths_ = measured_blocks > blocks_ ? 1 : deaths_ + 1;
    blocks_ = measured_blocks;
    return deaths_ < kMost;
  }
  bool any() const { return deaths_ > 0; }
  /// Returns whether the previous retry also failed, so that the next one should wait.
  bool repeated() const { return deaths_ > 1; }

 private:
  static constexpr int kMost = 3;

  int deaths_ = 0;
  std::uint64_t blocks_ = 0;
};

/// The state of one session between its steps; lives in the frame of RunSession.
class Session {
 public:
  Session(SessionServices services, SessionRecord record)
      : services_(std::move(services)),
        spec_(std::move(record.spec)),
        snapshot_(std::move(record.snapshot)),
        batch_(services_, spec_, groups_.groups),
        preparation_(services_, spec_, snapshot_),
        keeper_(services_.store, snapshot_.id),
        blocks_(spec_.benchmarks.size(), 0),
        resumed_(snapshot_.started_at.has_value()),
        begun_(services_.clock.Steady()),
        held_before_(snapshot_.held.value_or(Nanoseconds::zero())) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  asio::awaitable<std::optional<Failure>> Execute();
  asio::awaitable<void> ReleaseMachine();
  asio::awaitable<std::optional<Failure>> CleanUp(std::optional<Failure> failure);
  asio::awaitable<void> Conclude();
  SessionSnapshot End(std::optional<Failure> failure);

 private:
  asio::awaitable<std::optional<Failure>> Attempt();
  asio::awaitable<std::optional<Failure>> MeasurePhase();
  asio::awaitable<std::optional<Failure>> LeaveFirstPhase();
  void EnterSecondPhase();
  asio::awaitable<std::optional<Failure>> Replay();
  Result<void> ReplayBlock(const std::vector<Run>& block, std::size_t sharing);
  void LearnWarmup(const std::vector<Run>& block);
  Result<void> Count(const std::vector<Run>& block, std::size_t sharing = 1);
  Result<void> CountEach(const std::vector<Run>& block);
  void ChooseGroups();
  bool ShrinkGroups();
  asio::awaitable<std::optional<Failure>> OpenGroups();
  std::size_t SizeOfBlock(const Run& first) const;
  bool Lacks(const Run& first, std::uint32_t arm) const;
  Nanoseconds MeasuredTimeOf(const std::vector<Run>& block) const;
  asio::awaitable<BatchResult> RunBatch(BatchPlan plan, std::function<void()> meanwhile = {});
  void Unify(std::vector<Run>& block);
  std::optional<Failure> StartAnalysis();
  asio::awaitable<std::optional<Failure>> Prepare();
  asio::awaitable<std::optional<Failure>> WarmUp();
  asio::awaitable<std::optional<Failure>> Measure();
  SteadyTime NextReport() const;
  BatchPlan PlanUntil(SteadyTime report_due);
  std::optional<Failure> AddToAnalysis(std::vector<BlockResult> blocks);
  asio::awaitable<std::optional<Failure>> DropUnfinished();
  asio::awaitable<bool> ShouldRetry();
  asio::awaitable<std::optional<Failure>> Commit();
  asio::awaitable<Result<void>> CommitPaused(Error error);

  /// Returns whether a benchmark is missing in a candidate, which is a regression without any run.
  bool RegressedUnmeasured() const {
    return spec_.limits.fail_fast && LacksBenchmarks(spec_, snapshot_.found);
  }
  bool TimeIsUp() const { return Elapsed() >= spec_.limits.max_time; }
  /// Returns the time of measuring in the current phase.
  Nanoseconds Elapsed() const;
  Nanoseconds ElapsedInAll() const { return first_phase_ + Elapsed(); }
  std::uint64_t MeasuredBlocks() const;
  void Publish();
  void NoteHeld();
  void Enter(SessionState state);
  void PublishReport(Report report);
  Report Complete(Report report) const;
  void AddRelease();
  void Explain();

  SessionServices services_;
  // Changes when the benchmarks inside its programs are known, and when the second phase begins,
  // whose arms may run in other worktrees.
  SessionSpec spec_;
  SessionSnapshot snapshot_;
  std::optional<ConfirmedAnalysis> analysis_;
  GroupPlanner group_planner_;
  GroupPlan groups_;  // chosen before the first measured block; decided benchmarks leave them
  BlockExecutor batch_;
  RunUnits units_;
  StackBudget stacks_;                      // with SessionSpec::profile
  std::optional<ProfileAnalysis> profile_;  // likewise
  Preparation preparation_;
  BlockLog keeper_;
  std::vector<std::uint64_t> blocks_;   // number of measured blocks, by benchmark
  std::vector<std::uint32_t> warming_;  // benchmarks that the current phase warms up
  std::uint64_t warmed_up_ = 0;         // warm-up blocks so far, of all of these
  std::uint64_t warmup_end_ = 0;
  const bool resumed_;
  const SteadyTime begun_;   // start in this process
  Nanoseconds held_before_;  // time held in earlier processes
  RunnerId runner_ = 0;      // the runner that holds the machine
  bool runner_lost_ = false;
  RunnerDeaths runner_deaths_;
  Nanoseconds first_phase_{};      // time measured in the first phase, in the second one
  Nanoseconds measured_before_{};  // time measured in this phase before benchd was restarted
  std::optional<SteadyTime> measuring_since_;
  std::optional<SteadyTime> last_report_;
  SteadyTime next_commit_{};  // earliest time of the next commit
  std::uint64_t disturbances_ = 0;
  SessionNotes notes_;
  std::optional<Report> conclusion_;  // the report of a session without a failure
  MachineEnd machine_end_;
  std::vector<Warning> first_end_;  // the machine's warnings at the end of the first phase
  bool cleanup_cut_ = false;
};

asio::awaitable<std::optional<Failure>> Session::Execute() {
  if (snapshot_.Settled()) co_return snapshot_.failure;
  std::optional<Failure> failure = co_await Replay();
  while (!failure) {
    failure = co_await Attempt();
    // Runs that were measured are kept, even if a later run failed.
    std::optional<Failure> unkept = co_await DropUnfinished();
    if (!unkept) unkept = co_await Commit();
    if (!failure || unkept) co_return failure ? std::move(failure) : std::move(unkept);
    const bool again = co_await ShouldRetry();
    if (!again) break;
    failure.reset();
    co_await ReleaseMachine();
  }
  co_return failure;
}

/// Measures until the verdict: in one phase, or in a second one if gates regressed in the first and
/// are to be confirmed.
asio::awaitable<std::optional<Failure>> Session::Attempt() {
  runner_lost_ = false;
  SetGroupCommands(groups_.groups, snapshot_.found, GroupRuns::kAlone, spec_);
  std::optional<Failure> failure = co_await MeasurePhase();
  if (!failure && !analysis_->confirming() && analysis_->BeginConfirmation()) {
    failure = co_await LeaveFirstPhase();
    if (!failure) failure = co_await MeasurePhase();
  }
  if (!failure) failure = batch_.OutputDifference();
  co_return failure;
}

/// Prepares the machine, warms up and measures until the current phase is finished.
asio::awaitable<std::optional<Failure>> Session::MeasurePhase() {
  std::optional<Failure> failure = co_await Prepare();
  if (failure || RegressedUnmeasured()) co_return failure;
  failure = co_await WarmUp();
  if (failure) co_return failure;
  ChooseGroups();
  if (!groups_.groups.empty()) failure = co_await OpenGroups();
  if (!failure) failure = co_await Measure();
  co_return failure;
}

/// Stores all of the first phase before the second one begins, and releases the machine for its
/// build and setup.
asio::awaitable<std::optional<Failure>> Session::LeaveFirstPhase() {
  std::optional<Failure> unkept = co_await DropUnfinished();
  if (!unkept) unkept = co_await Commit();
  if (unkept) co_return unkept;
  EnterSecondPhase();
  PublishReport(analysis_->Look());
  co_await ReleaseMachine();
  first_end_ = std::exchange(machine_end_, {}).warnings;
  co_return std::nullopt;
}

/// Begins the second phase of the session, or continues it after a restart. Its warm-up blocks are
/// numbered on from those of the first phase.
void Session::EnterSecondPhase() {
  if (!snapshot_.second_phase) snapshot_.second_phase.emplace();
  UseSecondTrees(spec_);
  // After a restart, the time that a killed benchd has stored is the exact one.
  std::optional<Nanoseconds>& known = snapshot_.second_phase->first_phase;
  if (!known) known = Elapsed();
  first_phase_ = *known;
  measured_before_ = {};
  measuring_since_.reset();
  last_report_.reset();
  const std::uint64_t each = (warmed_up_ + warming_.size() - 1) / warming_.size();
  warming_ = analysis_->BenchmarksOfPhase();
  warmed_up_ = each * warming_.size();
  warmup_end_ = warmed_up_ + spec_.schedule.warmup * warming_.size();
}

/// Starts the statistics and, if the session is resumed, replays the stored runs into them.
asio::awaitable<std::optional<Failure>> Session::Replay() {
  Enter(SessionState::kPreparing);
  if (std::optional<Failure> failure = StartAnalysis()) co_return failure;
  if (!resumed_) co_return std::nullopt;

  const StoredBlocks::Taker take = [this](std::vector<Run> block) -> Result<void> {
    Unify(block);
    const std::vector<std::vector<Run>> blocks = BlocksByBenchmark(std::move(block));
    for (const std::vector<Run>& own : blocks) TRY_VOID(ReplayBlock(own, blocks.size()));
    ShrinkGroups();
    return {};
  };
  StoredBlocks stored([this](const Run& first) { return SizeOfBlock(first); }, take);
  Result<void> replayed = co_await stored.Load(services_.store, snapshot_.id);
  if (!replayed) co_return Failure{std::move(replayed).error().Within("resuming"), std::nullopt};
  notes_.dropped_runs = stored.dropped();
  // benchd may have ended before the second phase had a block.
  if (snapshot_.second_phase && !analysis_->confirming()) {
    if (analysis_->BeginConfirmation()) {
      EnterSecondPhase();
    } else {
      snapshot_.second_phase.reset();
    }
  }
  // A benchd that was killed may have stored runs without the whole time that they took.
  held_before_ = std::max(held_before_, first_phase_ + measured_before_);
  if (MeasuredBlocks() > 0) PublishReport(analysis_->Look());
  co_return std::nullopt;
}

/// Starts the statistics, and the counts of blocks, for the benchmarks of the spec.
std::optional<Failure> Session::StartAnalysis() {
  Result<ConfirmedAnalysis> analysis = ConfirmedAnalysis::Create(spec_);
  if (!analysis) return Failure{std::move(analysis).error(), std::nullopt};
  analysis_ = std::move(analysis).value();
  if (spec_.profile) profile_.emplace(spec_);
  blocks_.assign(spec_.benchmarks.size(), 0);
  warming_ = analysis_->BenchmarksOfPhase();
  warmup_end_ = spec_.schedule.warmup * warming_.size();
  return std::nullopt;
}

/// Replays a stored block in the same way as WarmUp() and AddToAnalysis() processed it.
Result<void> Session::ReplayBlock(const std::vector<Run>& block, std::size_t sharing) {
  if (block.front().phase == RunPhase::kWarmup) {
    ++warmed_up_;
    LearnWarmup(block);
    return {};
  }
  ChooseGroups();
  if (block.front().phase == RunPhase::kConfirming && !analysis_->confirming()) {
    // Another release may judge the first phase in another way. Then there is nothing to confirm.
    if (!analysis_->BeginConfirmation()) return {};
    EnterSecondPhase();
  }
  // The warm-up is complete.
  if (analysis_->confirming()) warmup_end_ = warmed_up_;
  measured_before_ += MeasuredTimeOf(block);
  return Count(block, sharing);
}

/// Returns the number of runs in the block of a run.
std::size_t Session::SizeOfBlock(const Run& first) const {
  const std::vector<std::size_t> counts =
      RunsPerBlock(spec_.benchmarks[first.benchmark], spec_.method);
  std::size_t size = 0;
  for (std::uint32_t arm = 0; arm < counts.size(); ++arm) {
    if (!Lacks(first, arm)) size += counts[arm];
  }
  return size;
}

/// Returns whether the block of a run was planned without the arm. It is one of those that the
/// analysis knows, or the next one.
bool Session::Lacks(const Run& first, std::uint32_t arm) const {
  if (first.phase == RunPhase::kWarmup) return false;
  const SessionAnalysis& analysis = analysis_->OfPhase(first.phase);
  if (const auto retired = analysis.RetiredAfter(first.benchmark, arm)) {
    return first.block >= *retired;
  }
  const auto idle = [&analysis](std::uint32_t benchmark) { return analysis.IdleArms(benchmark); };
  if (std::ranges::find(idle(first.benchmark), arm) == idle(first.benchmark).end()) return false;
  if (first.block < analysis.BlocksOf(first.benchmark)) return false;
  const std::vector<std::uint32_t> common = IdleArmsOfGroup(first.benchmark, groups_.groups, idle);
  return std::ranges::find(common, arm) != common.end();
}

/// Returns the time that the runs of a stored block took. Benchmarks that share processes share
/// their time.
Nanoseconds Session::MeasuredTimeOf(const std::vector<Run>& block) const {
  const std::uint32_t benchmark = block.front().benchmark;
  const BenchmarkGroups& groups = groups_.groups;
  if (groups.Leads(benchmark)) return CostOf(block);
  return groups.LeaderOf(benchmark) == benchmark ? WallTimeOf(block) : Nanoseconds::zero();
}

/// Learns the metrics from a warm-up block. After a reboot, such a block may also come in the
/// middle of a session.
void Session::LearnWarmup(const std::vector<Run>& block) {
  if (MeasuredBlocks() > 0) return;
  if (profile_) return analysis_->AddWarmup(WithoutProfile(block));
  analysis_->AddWarmup(block);
  group_planner_.Learn(block);
}

/// Chooses the groups from the warm-up, in the same way live and when the session is resumed. Later
/// calls do nothing, because all benchmarks of a group have the same blocks.
void Session::ChooseGroups() {
  if (MeasuredBlocks() == 0) groups_ = group_planner_.Choose(spec_, snapshot_.found);
}

/// Lets decided benchmarks leave their groups, live and when the session is resumed after the same
/// block: only the last one of a batch decides.
/// @return whether groups have changed
bool Session::ShrinkGroups() {
  if (groups_.groups.empty()) return false;
  std::optional<BenchmarkGroups> smaller = WithoutDecided(groups_.groups, analysis_->Outlook());
  if (!smaller) return false;
  SetGroupCommands(groups_.groups, snapshot_.found, GroupRuns::kAlone, spec_);
  groups_.groups = *std::move(smaller);
  return true;
}

/// Opens the commands of the groups.
asio::awaitable<std::optional<Failure>> Session::OpenGroups() {
  SetGroupCommands(groups_.groups, snapshot_.found, GroupRuns::kTogether, spec_);
  Prepared opened = co_await preparation_.Reopen(runner_);
  runner_lost_ = opened.runner_lost;
  co_return std::move(opened.failure);
}

/// @param sharing  the number of benchmarks that share its processes
Result<void> Session::Count(const std::vector<Run>& block, std::size_t sharing) {
  ++blocks_[block.front().benchmark];
  for (const Run& run : block) disturbances_ += run.disturbances;
  if (!profile_) return analysis_->Add(block, {}, sharing);
  TRY_VOID(analysis_->Add(WithoutProfile(block)));
  profile_->Add(block);
  return {};
}

/// Counts a block of a benchmark, or the block that the benchmarks of a group share.
Result<void> Session::CountEach(const std::vector<Run>& block) {
  if (block.front().benchmark == block.back().benchmark) return Count(block);
  const std::vector<std::vector<Run>> blocks = BlocksByBenchmark(block);
  for (const std::vector<Run>& own : blocks) TRY_VOID(Count(own, blocks.size()));
  return {};
}

asio::awaitable<std::optional<Failure>> Session::Prepare() {
  Enter(SessionState::kPreparing);
  Prepared prepared = co_await preparation_.Run();
  runner_ = prepared.runner;
  batch_.Use(runner_);
  runner_lost_ = prepared.runner_lost;
  keeper_.KeepLog(std::move(prepared.log));
  if (prepared.expanded) {
    // Nothing has been measured yet, so all gates get their share of alpha before the first look.
    std::optional<Failure> failure = StartAnalysis();
    if (failure) co_return failure;
  }
  if (prepared.rebooted) {
    const std::uint64_t benchmarks = warming_.size();
    warmed_up_ = (warmed_up_ + benchmarks - 1) / benchmarks * benchmarks;
    warmup_end_ = warmed_up_ + spec_.schedule.warmup * benchmarks;
  }
  if (prepared.failure) co_return std::move(prepared.failure);
  Enter(SessionState::kRunning);
  co_return std::nullopt;
}

asio::awaitable<std::optional<Failure>> Session::WarmUp() {
  while (warmed_up_ < warmup_end_) {
    BatchResult result = co_await RunBatch(PlanWarmup(spec_, warming_, warmed_up_, warmup_end_));
    warmed_up_ += result.blocks.size();
    for (BlockResult& block : result.blocks) {
      LearnWarmup(block.runs);
      keeper_.Keep(std::move(block));
    }
    if (result.failure) co_return std::move(result.failure);
  }
  co_return co_await Commit();
}

/// Runs a batch and converts its results, including the unfinished block, to the session's units.
asio::awaitable<BatchResult> Session::RunBatch(BatchPlan plan, std::function<void()> meanwhile) {
  BatchResult result = co_await batch_.Run(std::move(plan), std::move(meanwhile));
  runner_lost_ = result.runner_lost;
  for (BlockResult& block : result.blocks) Unify(block.runs);
  Unify(batch_.unfinished().runs);
  co_return result;
}

/// Converts runs to the session's units, and bounds the number of its stacks.
void Session::Unify(std::vector<Run>& block) {
  units_.Unify(block);
  if (spec_.profile) stacks_.Apply(block);
}

asio::awaitable<std::optional<Failure>> Session::Measure() {
  if (!measuring_since_) measuring_since_ = services_.clock.Steady();
  bool untold = false;
  const std::function<void()> tell = [this, &untold] {
    if (std::exchange(untold, false)) PublishReport(analysis_->Look());
  };
  while (!analysis_->Finished() && !TimeIsUp()) {
    if (batch_.unfinished().runs.empty() && ShrinkGroups()) {
      std::optional<Failure> failure = co_await OpenGroups();
      if (failure) co_return failure;
    }
    const SteadyTime report_due = NextReport();
    BatchResult result = co_await RunBatch(PlanUntil(report_due), tell);
    std::optional<Failure> unusable = AddToAnalysis(std::move(result.blocks));
    if (result.failure) co_return std::move(result.failure);
    const SteadyTime now = services_.clock.Steady();
    const bool due = !last_report_ || now >= report_due;
    if (!due && !keeper_.IsFull() && !unusable) continue;
    // Commit the runs before any watcher sees their consequences.
    keeper_.KeepSoFar(batch_.unfinished());
    std::optional<Failure> failure = co_await Commit();
    if (failure) co_return failure;
    if (unusable) co_return unusable;
    last_report_ = now;
    untold = MeasuredBlocks() > 0;
  }
  tell();
  co_return std::nullopt;
}

/// Returns the time of the next report, which may only contain committed blocks.
SteadyTime Session::NextReport() const {
  const SteadyTime last = last_report_.value_or(services_.clock.Steady());
  return std::max(last + ReportIntervalAfter(Elapsed()), next_commit_);
}

BatchPlan Session::PlanUntil(SteadyTime report_due) {
  const ConfirmedAnalysis& analysis = *analysis_;
  const std::vector<Run>& begun = batch_.unfinished().runs;
  BatchPlan plan = PlanMeasured(
      spec_, GroupedOutlooks(analysis.Outlook(), groups_.groups),
      [&analysis](std::uint64_t blocks) { return analysis.NextLook(blocks); },
      begun.empty() ? std::nullopt : std::optional(begun.front().benchmark),
      analysis.confirming() ? RunPhase::kConfirming : RunPhase::kMeasured);
  plan.budget = std::clamp(report_due - services_.clock.Steady(), Nanoseconds::zero(),
                           ReportIntervalAfter(Elapsed()));
  return plan;
}

/// Adds measured blocks to the statistics. Returns a failure if the blocks cannot be used.
std::optional<Failure> Session::AddToAnalysis(std::vector<BlockResult> blocks) {
  std::optional<Failure> failure;
  for (BlockResult& block : blocks) {
    if (!failure) {
      Result<void> added = CountEach(block.runs);
      if (!added) failure = Failure{std::move(added).error(), std::nullopt};
    }
    keeper_.Keep(std::move(block));
  }
  return failure;
}

/// Keeps the runs of an interrupted block for the record; the whole block is repeated.
asio::awaitable<std::optional<Failure>> Session::DropUnfinished() {
  BlockResult block = batch_.DropUnfinished();
  keeper_.KeepLog(std::exchange(block.log, {}));
  if (block.runs.empty() || block.runs.front().phase == RunPhase::kWarmup) {
    co_return std::nullopt;
  }
  notes_.dropped_runs += block.runs.size();
  // Earlier blocks must be committed first.
  std::optional<Failure> failure = co_await Commit();
  if (failure) co_return failure;
  Result<void> dropped = co_await keeper_.Drop(std::move(block));
  if (!dropped) co_return Failure{std::move(dropped).error(), std::nullopt};
  co_return std::nullopt;
}

/// Returns whether the failure was the death of the runner and another attempt is worthwhile.
asio::awaitable<bool> Session::ShouldRetry() {
  if (!runner_lost_ || services_.cancel.requested()) co_return false;
  if (!runner_deaths_.ShouldRetry(MeasuredBlocks())) co_return false;
  if (runner_deaths_.repeated()) co_await services_.clock.Wait(kRunnerPause);
  co_return true;
}

/// Commits the uncommitted data. While the disk is full, the session is paused, so that no
/// measurement can be lost.
asio::awaitable<std::optional<Failure>> Session::Commit() {
  const SteadyTime began = services_.clock.Steady();
  Result<void> kept = co_await keeper_.Commit();
  const SteadyTime ended = services_.clock.Steady();
  next_commit_ = ended + CommitIntervalAfter(ended - began);
  if (!kept && IsDiskFull(kept.error()) && !services_.cancel.requested()) {
    kept = co_await CommitPaused(kept.error());
  }
  if (kept) co_return std::nullopt;
  if (IsDiskFull(kept.error())) co_return CancelledFailure();
  co_return Failure{std::move(kept).error(), std::nullopt};
}

asio::awaitable<Result<void>> Session::CommitPaused(Error error) {
  const SessionState before = snapshot_.state;
  std::optional<Report> report = snapshot_.report;
  if (!snapshot_.report) snapshot_.report.emplace();
  snapshot_.report->warnings.push_back(
      MakeWarning("disk_full", "paused: " + error.message + "; " + error.hint));
  Enter(SessionState::kPaused);
  const SteadyTime since = services_.clock.Steady();
  const auto stop = [this](const Error& why) {
    return !IsDiskFull(why) || services_.cancel.requested();
  };
  const auto attempt = [this] { return keeper_.Commit(); };
  Result<void> kept = co_await UntilThereIsRoom(&services_.clock, stop, attempt);
  const Nanoseconds paused = services_.clock.Steady() - since;
  notes_.paused += paused;
  if (measuring_since_) *measuring_since_ += paused;
  snapshot_.report = std::move(report);
  Enter(before);
  co_return kept;
}

Nanoseconds Session::Elapsed() const {
  if (!measuring_since_) return measured_before_;
  return measured_before_ + (services_.clock.Steady() - *measuring_since_);
}

std::uint64_t Session::MeasuredBlocks() const {
  return std::accumulate(blocks_.begin(), blocks_.end(), std::uint64_t{0});
}

void Session::Publish() {
  NoteHeld();
  services_.publish(snapshot_);
}

/// Updates the time for which the session has held the machine. Time with a full disk does not
/// count, because nothing is done for the user.
void Session::NoteHeld() {
  snapshot_.held = held_before_ + (services_.clock.Steady() - begun_) - notes_.paused;
}

void Session::Enter(SessionState state) {
  snapshot_.state = state;
  snapshot_.position = 0;
  snapshot_.eta.reset();
  if (!snapshot_.started_at) snapshot_.started_at = services_.clock.Now();
  Publish();
}

void Session::PublishReport(Report report) {
  report = Complete(std::move(report));
  analysis_->Forecast(spec_, Elapsed(), report, groups_.groups);
  AddUnmatched(spec_, snapshot_.found, report);
  snapshot_.report = std::move(report);
  Publish();
}

/// Adds facts that the statistics cannot know: clock, machine, interruptions, ignored failures.
Report Session::Complete(Report report) const {
  // More time for an open gate would be spent in the first phase.
  report.elapsed = analysis_->confirming() ? first_phase_ : Elapsed();
  report.disturbances = disturbances_;
  SessionNotes notes = notes_;
  notes.interrupted = resumed_ || runner_deaths_.any();
  AddNotes(notes, report);
  if (!spec_.lfs_pointers.empty()) report.warnings.push_back(PointersNamed(spec_.lfs_pointers));
  report.warnings.insert(report.warnings.end(), groups_.notes.begin(), groups_.notes.end());
  if (snapshot_.setup) {
    const std::vector<Warning>& of_build = snapshot_.setup->warnings;
    report.warnings.insert(report.warnings.end(), of_build.begin(), of_build.end());
  }
  ForecastGates(spec_, DataSource::kSession, report);
  if (analysis_->confirming()) report.elapsed = ElapsedInAll();
  return report;
}

asio::awaitable<void> Session::ReleaseMachine() {
  machine_end_ = co_await services_.runner.Release(runner_);
}

/// Runs cleanup, however the session ended. The end is stored first: if benchd dies now, the next
/// start only repeats the cleanup.
asio::awaitable<std::optional<Failure>> Session::CleanUp(std::optional<Failure> failure) {
  const bool goes_on = failure && services_.cancel.interrupted();
  const bool begun = snapshot_.machine.has_value();
  if (goes_on || !begun || !HasHook(spec_, HookKind::kCleanup)) co_return failure;
  if (services_.cancel.cancelled()) {
    snapshot_.cancelled_by = services_.cancel.by();
  } else {
    snapshot_.failure = failure;
  }
  Publish();
  HookResult cleanup = co_await RunHooks(&services_.runner, &services_.cancel, &spec_, snapshot_.id,
                                         HookKind::kCleanup);
  keeper_.KeepLog(std::move(cleanup.log));
  std::optional<Failure> unkept = co_await Commit();
  // The next start of benchd repeats a cleanup that a stop has interrupted.
  cleanup_cut_ = cleanup.failure && services_.cancel.stopped();
  if (!failure) failure = std::move(cleanup.failure);
  co_return failure ? std::move(failure) : std::move(unkept);
}

/// Adds what the sampled runs show to the conclusion.
void Session::Explain() {
  conclusion_->explanations = profile_->Conclude();
  for (Warning& warning : profile_->Warnings()) {
    conclusion_->warnings.push_back(std::move(warning));
  }
}

/// Computes the verdict, then the order effects and the worst runs. These depend on the final state
/// of the gates, so all runs are read once more; if that fails, only the verdict is reported.
asio::awaitable<void> Session::Conclude() {
  if (snapshot_.Settled()) co_return;
  conclusion_ = Complete(RegressedUnmeasured() ? analysis_->Look() : analysis_->Conclude());
  AddUnmatched(spec_, snapshot_.found, *conclusion_);
  if (profile_) {
    Explain();
    co_return;  // the runs explain others, and are not explained themselves
  }
  ArmOrderAnalysis orders(spec_, *conclusion_, DataSource::kSession);
  WorstRunsAnalysis worst(spec_, *conclusion_);
  std::uint64_t runs = 0;
  for (const ArmRuns& arm : conclusion_->runs) runs += arm.runs;
  const bool explains = !worst.empty() && runs <= kMostExplained;
  if (orders.empty() && !explains) co_return;
  const StoredBlocks::Taker take = [this, &orders, &worst,
                                    explains](std::vector<Run> block) -> Result<void> {
    if (services_.cancel.requested()) return CancelledFailure().error;
    if (explains) worst.Add(block);
    for (const std::vector<Run>& own : BlocksByBenchmark(std::move(block))) {
      if (own.front().phase == RunPhase::kMeasured) TRY_VOID(orders.Add(own));
      if (own.front().phase == RunPhase::kWarmup) orders.AddWarmup(own);
    }
    return {};
  };
  StoredBlocks stored([this](const Run& first) { return SizeOfBlock(first); }, take);
  const Result<void> read = co_await stored.Load(services_.store, snapshot_.id);
  if (!read) co_return;
  conclusion_->orders = orders.Conclude();
  if (explains) conclusion_->worst_runs = worst.Conclude();
}

SessionSnapshot Session::End(std::optional<Failure> failure) {
  NoteHeld();
  if (cleanup_cut_ || (failure && services_.cancel.interrupted())) return snapshot_;
  snapshot_.ended_at = services_.clock.Now();
  if (failure && services_.cancel.cancelled()) snapshot_.cancelled_by = services_.cancel.by();
  if (!snapshot_.cancelled_by.empty()) {
    snapshot_.state = SessionState::kCancelled;
  } else if (failure) {
    snapshot_.state = SessionState::kFailed;
    snapshot_.failure = std::move(failure);
  } else {
    snapshot_.state = SessionState::kDone;
    snapshot_.report = std::move(conclusion_);
  }
  AddRelease();
  return snapshot_;
}

/// Adds the machine's warnings of all phases, each once.
void Session::AddRelease() {
  for (Warning& warning : first_end_) {
    std::vector<Warning>& all = machine_end_.warnings;
    if (std::ranges::find(all, warning) == all.end()) all.push_back(std::move(warning));
  }
  AddReleaseReport(machine_end_, snapshot_);
}

}  // namespace

Result<void> CheckStatistics(const SessionSpec& spec) {
  TRY_VOID(ConfirmedAnalysis::Create(spec));
  return {};
}

asio::awaitable<SessionSnapshot> RunSession(SessionServices services, SessionRecord record) {
  ExpandBenchmarks(record.snapshot.found, record.spec);
  SetRunCommands(record.spec);
  Session session(std::move(services), std::move(record));
  std::optional<Failure> failure = co_await session.Execute();
  co_await session.ReleaseMachine();
  failure = co_await session.CleanUp(std::move(failure));
  if (!failure) co_await session.Conclude();
  co_return session.End(std::move(failure));
}

}  // namespace benchd
