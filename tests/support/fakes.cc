#include "tests/support/fakes.h"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

#include "core/base/fnv.h"

namespace benchd::fake {

asio::awaitable<void> Clock::Wait(Nanoseconds duration) const {
  ++waits_;
  if (during_wait) during_wait();
  passed_ += duration;
  // Lets other coroutines run, as they would in that time.
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

namespace {

/// The only runner there is.
constexpr RunnerId kRunner = 7;

Error Unleased() { return Error{ErrorCode::kInternal, "runner: it was not acquired", {}}; }
Error Cancelled() { return Error{ErrorCode::kCancelled, "run: cancelled", {}}; }

}  // namespace

asio::awaitable<Result<void>> Runner::Check(MachineRequest request) {
  checked.push_back(std::move(request));
  co_return check;
}

asio::awaitable<Result<ProgramIdentity>> Runner::Resolve(ProgramQuery query) {
  if (during_resolve) during_resolve();
  const auto it = programs.find(query.program);
  if (it != programs.end()) co_return it->second;
  ProgramIdentity identity;
  identity.path = "/bin/" + query.program;
  co_return identity;
}

asio::awaitable<Result<Lease>> Runner::Acquire(std::optional<MachineRequest> machine) {
  Lease lease{kRunner, std::nullopt};
  if (!machine) co_return lease;
  ++acquired;
  if (!report) co_return report.error();
  has_machine_ = true;
  lease.machine = *report;
  co_return lease;
}

asio::awaitable<Result<void>> Runner::Open(RunnerId runner, std::vector<ChildSpec> children) {
  if (runner != kRunner) co_return Unleased();
  if (during_open) during_open();
  children_ = std::move(children);
  open_ = true;
  co_return Result<void>{};
}

asio::awaitable<BatchOutcome> Runner::Run(RunnerId runner, Batch batch, std::stop_token stop) {
  BatchOutcome outcome;
  if (runner != kRunner || !open_) outcome.error = Unleased();
  if (stop.stop_requested()) outcome.error = Cancelled();
  if (outcome.error) co_return outcome;
  batches_.push_back(batch);
  const SteadyTime begin = clock_.Steady();
  co_await asio::post(asio::use_awaitable);
  for (const RunOrder& run : batch.runs) {
    const bool first = outcome.runs.empty();
    if (outcome.runs.size() == most_runs) break;
    if (!first && run.begins_block && clock_.Steady() - begin >= batch.budget) break;
    if (!first && batch.stop_on_failure && !outcome.runs.back().exit.Succeeded()) break;
    Result<RunOutcome> done = RunOne(run, stop);
    if (!done) {
      outcome.error = std::move(done).error();
      break;
    }
    outcome.runs.push_back(std::move(*done));
  }
  co_return outcome;
}

Result<RunOutcome> Runner::RunOne(const RunOrder& order, const std::stop_token& stop) {
  orders_.push_back(order);
  ran_.push_back(children_[order.child]);
  if (during_run) during_run();
  clock_.Advance(run_time);
  if (stop.stop_requested()) return Cancelled();
  const auto own = outcomes.find(ran_.back().argv.front());
  if (own != outcomes.end()) return own->second;
  Result<RunOutcome> outcome =
      program ? program(order.child, runs_[order.child]++) : Took(Seconds(run_time));
  if (outcome) outcome->ended_at = clock_.Steady();
  return outcome;
}

asio::awaitable<MachineEnd> Runner::Release(RunnerId runner) {
  if (runner != kRunner) co_return MachineEnd{};
  open_ = false;
  if (!std::exchange(has_machine_, false)) co_return MachineEnd{};
  ++released;
  if (during_release) during_release();
  co_return end;
}

asio::awaitable<Result<MachineStatus>> Runner::Describe(std::string profile) {
  asked.push_back("describe " + profile);
  co_return status;
}

asio::awaitable<Result<MachineStatus>> Runner::Apply(std::string profile) {
  asked.push_back("apply " + profile);
  co_return status;
}

asio::awaitable<Result<MachineStatus>> Runner::Restore() {
  asked.push_back("restore");
  co_return status;
}

asio::awaitable<Result<std::vector<NoiseSource>>> Runner::Diagnose() {
  asked.push_back("diagnose");
  co_return sources;
}

RunOutcome Took(double seconds) {
  RunOutcome outcome;
  outcome.samples = {{.metric = "wall_time", .value = seconds},
                     {.metric = "max_rss", .value = 1048576}};
  return outcome;
}

OutputDigest Printed(const std::string& text) {
  OutputDigest digest;
  digest.bytes = text.size();
  std::ranges::copy(Fnv1aHex(text), digest.sha256.begin());
  digest.head = text.substr(0, kOutputHeadBytes);
  return digest;
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
