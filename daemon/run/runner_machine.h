#pragma once

#include "daemon/ports/machine.h"
#include "daemon/run/runner_connection.h"

namespace benchd {

/// The Machine port by benchd-runner. Owned by main.cc, outlived by the connection; on the loop's
/// thread.
///
/// What was taken is bound to the runner that took it: after its death Release() has nothing to do
/// (the runner's journal gives the settings back), and Launcher::Open() fails until then.
class RunnerMachine : public Machine {
 public:
  explicit RunnerMachine(RunnerConnection& connection) : connection_(connection) {}

  asio::awaitable<Result<MachineReport>> Acquire(MachineRequest request) override;
  asio::awaitable<void> Release() override;

 private:
  RunnerConnection& connection_;
};

}  // namespace benchd
