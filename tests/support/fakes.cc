#include "tests/support/fakes.h"

#include <algorithm>
#include <utility>

namespace benchd::fake {

asio::awaitable<Result<ProgramIdentity>> Launcher::Resolve(ChildSpec child) {
  const auto it = programs.find(child.argv.front());
  if (it != programs.end()) co_return it->second;
  ProgramIdentity identity;
  identity.path = "/bin/" + child.argv.front();
  co_return identity;
}

asio::awaitable<Result<void>> Launcher::Open(std::vector<ChildSpec> children) {
  children_ = std::move(children);
  open_ = true;
  cancelled_ = false;
  co_return Result<void>{};
}

asio::awaitable<SeriesOutcome> Launcher::Run(SeriesOrder order) {
  series_.push_back(order);
  SeriesOutcome outcome;
  const SteadyTime begin = clock_.Steady();
  for (const RunOrder& run : order.runs) {
    const bool first = outcome.runs.empty();
    if (!first && run.begins_block && clock_.Steady() - begin >= order.budget) break;
    if (!first && order.stop_on_failure && !outcome.runs.back().exit.Succeeded()) break;
    Result<RunOutcome> done = RunOne(run);
    if (!done) {
      outcome.error = std::move(done).error();
      break;
    }
    outcome.runs.push_back(std::move(*done));
  }
  co_return outcome;
}

Result<RunOutcome> Launcher::RunOne(const RunOrder& order) {
  orders_.push_back(order);
  if (during_run) during_run();
  clock_.Advance(run_time);
  if (cancelled_) return Error{ErrorCode::kCancelled, "run: cancelled", {}};
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

asio::awaitable<Result<void>> Store::AppendBlock(SessionId id, std::vector<benchd::Run> runs) {
  if (fail_with) co_return *fail_with;
  auto& kept = runs_[id];
  kept.insert(kept.end(), std::make_move_iterator(runs.begin()),
              std::make_move_iterator(runs.end()));
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

asio::awaitable<Result<std::string>> Store::LoadLog(SessionId id) {
  if (fail_with) co_return *fail_with;
  co_return logs_[id];
}

asio::awaitable<Result<void>> Store::Insert(SessionRecord record) {
  if (fail_with) co_return *fail_with;
  records_.push_back(std::move(record));
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Store::Update(SessionSnapshot snapshot) {
  if (fail_with) co_return *fail_with;
  for (SessionRecord& record : records_) {
    if (record.snapshot.id == snapshot.id) record.snapshot = snapshot;
  }
  co_return Result<void>{};
}

asio::awaitable<void> Store::Settle() {
  ++settled;
  co_return;
}

asio::awaitable<Result<SessionRecord>> Store::Load(SessionId id) {
  if (fail_with) co_return *fail_with;
  for (const SessionRecord& record : records_) {
    if (record.snapshot.id == id) co_return record;
  }
  co_return Error{ErrorCode::kNotFound, "session: none", {}};
}

asio::awaitable<Result<std::vector<SessionRecord>>> Store::LoadAll() {
  if (fail_with) co_return *fail_with;
  co_return records_;
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
