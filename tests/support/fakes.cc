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
  if (during_release) during_release();
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
