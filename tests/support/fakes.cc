#include "tests/support/fakes.h"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

namespace benchd::fake {

asio::awaitable<void> Clock::Wait(Nanoseconds duration) const {
  ++waits_;
  if (during_wait) during_wait();
  passed_ += duration;
  // Others have their turn, as they would in that time.
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

asio::awaitable<Result<ProgramIdentity>> Launcher::Resolve(ChildSpec child) {
  if (during_resolve) during_resolve();
  const auto it = programs.find(child.argv.front());
  if (it != programs.end()) co_return it->second;
  ProgramIdentity identity;
  identity.path = "/bin/" + child.argv.front();
  co_return identity;
}

asio::awaitable<Result<void>> Launcher::Open(std::vector<ChildSpec> children) {
  if (during_open) during_open();
  children_ = std::move(children);
  open_ = true;
  co_return Result<void>{};
}

asio::awaitable<SeriesOutcome> Launcher::Run(SeriesOrder order) {
  series_.push_back(order);
  running_ = true;
  cancelled_ = false;
  SeriesOutcome outcome;
  const SteadyTime begin = clock_.Steady();
  for (const RunOrder& run : order.runs) {
    const bool first = outcome.runs.empty();
    if (outcome.runs.size() == most_runs) break;
    if (!first && run.begins_block && clock_.Steady() - begin >= order.budget) break;
    if (!first && order.stop_on_failure && !outcome.runs.back().exit.Succeeded()) break;
    Result<RunOutcome> done = RunOne(run);
    if (!done) {
      outcome.error = std::move(done).error();
      break;
    }
    outcome.runs.push_back(std::move(*done));
  }
  running_ = false;
  co_return outcome;
}

Result<RunOutcome> Launcher::RunOne(const RunOrder& order) {
  orders_.push_back(order);
  ran_.push_back(children_[order.child]);
  if (during_run) during_run();
  clock_.Advance(run_time);
  if (cancelled_) return Error{ErrorCode::kCancelled, "run: cancelled", {}};
  const auto own = outcomes.find(ran_.back().argv.front());
  if (own != outcomes.end()) return own->second;
  Result<RunOutcome> outcome =
      program ? program(order.child, runs_[order.child]++) : Took(Seconds(run_time));
  if (outcome) outcome->ended_at = clock_.Steady();
  return outcome;
}

asio::awaitable<void> Launcher::Close() {
  open_ = false;
  co_return;
}

asio::awaitable<Result<void>> Machine::Check(MachineRequest request) {
  checked.push_back(std::move(request));
  co_return check;
}

asio::awaitable<Result<MachineReport>> Machine::Acquire(MachineRequest) {
  ++acquired;
  co_return report;
}

asio::awaitable<MachineEnd> Machine::Release() {
  ++released;
  co_return end;
}

asio::awaitable<Result<MachineStatus>> Machine::Describe(std::string profile) {
  asked.push_back("describe " + profile);
  co_return status;
}

asio::awaitable<Result<MachineStatus>> Machine::Apply(std::string profile) {
  asked.push_back("apply " + profile);
  co_return status;
}

asio::awaitable<Result<MachineStatus>> Machine::Restore() {
  asked.push_back("restore");
  co_return status;
}

asio::awaitable<Result<std::vector<NoiseSource>>> Machine::Diagnose() {
  asked.push_back("diagnose");
  co_return sources;
}

asio::awaitable<Result<void>> Store::AppendRuns(SessionId id, std::vector<benchd::Run> runs) {
  if (fail_with) co_return *fail_with;
  auto& kept = runs_[id];
  kept.insert(kept.end(), std::make_move_iterator(runs.begin()),
              std::make_move_iterator(runs.end()));
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Store::DropBlock(SessionId id, std::uint32_t benchmark,
                                               std::uint64_t block) {
  if (fail_with) co_return *fail_with;
  for (benchd::Run& run : runs_[id]) {
    const bool of_it = run.benchmark == benchmark && run.block == block;
    if (of_it && run.phase == RunPhase::kMeasured) run.phase = RunPhase::kDropped;
  }
  co_return Result<void>{};
}

asio::awaitable<Result<std::vector<benchd::Run>>> Store::LoadRuns(SessionId id, std::uint64_t first,
                                                                  std::uint64_t limit) {
  if (fail_with) co_return *fail_with;
  const std::vector<benchd::Run>& kept = runs_[id];
  const std::uint64_t begin = std::min<std::uint64_t>(first, kept.size());
  const std::uint64_t end = begin + std::min<std::uint64_t>(limit, kept.size() - begin);
  co_return std::vector<benchd::Run>(kept.begin() + static_cast<std::ptrdiff_t>(begin),
                                     kept.begin() + static_cast<std::ptrdiff_t>(end));
}

asio::awaitable<Result<void>> Store::AppendLog(SessionId id, std::string text) {
  if (fail_with) co_return *fail_with;
  logs_[id] += text;
  co_return Result<void>{};
}

asio::awaitable<Result<LogTail>> Store::LoadLog(SessionId id, std::size_t most) {
  if (fail_with) co_return *fail_with;
  const std::string& log = logs_[id];
  const std::size_t left_out = log.size() - std::min(most, log.size());
  co_return LogTail{log.substr(left_out), left_out};
}

SessionRecord* Store::Find(const SessionId& id) {
  const auto it = std::find_if(records_.begin(), records_.end(),
                               [&id](const auto& record) { return record.snapshot.id == id; });
  return it == records_.end() ? nullptr : &*it;
}

asio::awaitable<Result<void>> Store::Insert(SessionRecord record, HistoryEntry entry) {
  if (fail_with) co_return *fail_with;
  history_[record.snapshot.id].push_back(std::move(entry));
  records_.push_back(std::move(record));
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Store::Update(SessionSnapshot snapshot, HistoryEntry entry) {
  if (fail_with) co_return *fail_with;
  history_[snapshot.id].push_back(std::move(entry));
  if (SessionRecord* record = Find(snapshot.id)) record->snapshot = std::move(snapshot);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Store::Reprioritise(SessionId id, std::int32_t priority,
                                                  HistoryEntry entry) {
  if (fail_with) co_return *fail_with;
  history_[id].push_back(std::move(entry));
  if (SessionRecord* record = Find(id)) record->spec.priority = priority;
  co_return Result<void>{};
}

asio::awaitable<Result<std::vector<HistoryEntry>>> Store::History(SessionId id) {
  if (fail_with) co_return *fail_with;
  co_return history_[id];
}

std::vector<std::string> Store::history(const SessionId& id) {
  std::vector<std::string> texts;
  for (const HistoryEntry& entry : history_[id]) texts.push_back(entry.what);
  return texts;
}

asio::awaitable<Result<void>> Store::KeepMode(QueueMode mode) {
  if (fail_with) co_return *fail_with;
  mode_ = mode;
  co_return Result<void>{};
}

asio::awaitable<Result<std::vector<SessionId>>> Store::Prune(KeepPolicy policy, Timestamp) {
  if (fail_with) co_return *fail_with;
  pruned.push_back(policy);
  std::vector<SessionId> gone;
  if (!to_prune.empty()) {
    gone = std::move(to_prune.front());
    to_prune.pop_front();
  }
  for (const SessionId& id : gone) {
    std::erase_if(records_, [&id](const auto& record) { return record.snapshot.id == id; });
    runs_.erase(id);
  }
  co_return gone;
}

asio::awaitable<void> Store::Settle() {
  ++settled;
  co_return;
}

asio::awaitable<Result<SessionRecord>> Store::Load(SessionId id) {
  if (fail_with) co_return *fail_with;
  const SessionRecord* record = Find(id);
  if (record == nullptr) co_return Error{ErrorCode::kNotFound, "session: none", {}};
  co_return *record;
}

asio::awaitable<Result<ArchiveContents>> Store::LoadAll() {
  if (fail_with) co_return *fail_with;
  co_return ArchiveContents{records_, mode_, complaints};
}

RunOutcome Took(double seconds) {
  RunOutcome outcome;
  outcome.samples = {{.metric = "wall_time", .value = seconds},
                     {.metric = "max_rss", .value = 1048576}};
  return outcome;
}

SessionSpec TwoArms(const std::string& base, const std::string& candidate) {
  Benchmark benchmark;
  for (const auto& [name, role, program] :
       {std::tuple{"base", ArmRole::kReference, base},
        std::tuple{"candidate", ArmRole::kCandidate, candidate}}) {
    Arm arm;
    arm.name = name;
    arm.role = role;
    arm.command = program;
    arm.argv = {program};
    arm.cwd = "/";
    benchmark.arms.push_back(std::move(arm));
  }
  SessionSpec spec;
  spec.benchmarks = {std::move(benchmark)};
  spec.seed = 1;
  spec.caller.uid = 1000;
  spec.caller.gid = 1000;
  return spec;
}

}  // namespace benchd::fake
