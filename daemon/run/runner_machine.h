#pragma once

#include <string>
#include <vector>

#include "daemon/ports/machine.h"
#include "daemon/run/runner_connection.h"

namespace benchd {

/// The Machine port by benchd-runner. Owned by main.cc, outlived by the connection; on the loop's
/// thread.
///
/// What was taken is bound to the runner that took it: after its death Release() has nothing to do
/// (the runner's journal gives the settings back), and Launcher::Open() fails until then. Check()
/// needs the handshake only, so it disturbs no runner that measures.
class RunnerMachine : public Machine {
 public:
  explicit RunnerMachine(RunnerConnection& connection) : connection_(connection) {}

  asio::awaitable<Result<void>> Check(MachineRequest request) override;
  asio::awaitable<Result<MachineReport>> Acquire(MachineRequest request) override;
  asio::awaitable<MachineEnd> Release() override;
  asio::awaitable<Result<MachineStatus>> Describe(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Apply(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Restore() override;
  asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() override;

 private:
  /// Asks whichever runner is connected now. `what` completes "benchd-runner died during WHAT".
  template <typename Answer, typename Question>
  asio::awaitable<Result<Answer>> AskAny(Question question, const char* what);
  template <typename Question>
  asio::awaitable<Result<MachineStatus>> AskStatus(Question question, const char* what);

  RunnerConnection& connection_;
};

}  // namespace benchd
