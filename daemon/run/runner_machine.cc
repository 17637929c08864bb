#include "daemon/run/runner_machine.h"

#include <chrono>
#include <string>
#include <utility>

namespace benchd {
namespace {

/// Settings that need long (SMT, partitions) take seconds; silence beyond this is a dead runner.
constexpr std::chrono::minutes kPatience{2};

}  // namespace

asio::awaitable<Result<MachineReport>> RunnerMachine::Acquire(MachineRequest request) {
  Result<RunnerFacts> runner = co_await connection_.Connect();
  if (!runner) co_return std::move(runner).error();
  wire::AcquireMachine question;
  question.profile = std::move(request.profile);
  question.isolation = request.isolation;
  question.cpus = std::move(request.cpus);
  Result<wire::MachineAcquired> answer = co_await connection_.Ask<wire::MachineAcquired>(
      runner->generation, std::move(question), "preparing the machine", kPatience);
  if (!answer) co_return std::move(answer).error();
  if (answer->machine) connection_.SetHolder(runner->generation);
  co_return std::move(answer->machine);
}

asio::awaitable<void> RunnerMachine::Release() {
  const std::uint64_t holder = connection_.holder();
  connection_.SetHolder(0);
  if (holder == 0 || holder != connection_.generation()) co_return;
  Result<wire::Done> released = co_await connection_.Ask<wire::Done>(
      holder, wire::ReleaseMachine{}, "giving the machine back", kPatience);
  static_cast<void>(released);
}

}  // namespace benchd
