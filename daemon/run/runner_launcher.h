#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/ports/launcher.h"
#include "daemon/run/runner_connection.h"

namespace benchd {

/// The Launcher port by benchd-runner. Owned by main.cc, outlived by the connection; on the loop's
/// thread.
///
/// Children belong to the runner they were opened with: after its death Run() is kUnavailable until
/// the next Open(), even if another request has met a fresh runner meanwhile.
class RunnerLauncher : public Launcher {
 public:
  explicit RunnerLauncher(RunnerConnection& connection) : connection_(connection) {}

  asio::awaitable<Result<ProgramIdentity>> Resolve(ChildSpec child) override;
  /// @errors also kUnavailable when the runner that holds the machine's settings has died.
  asio::awaitable<Result<void>> Open(std::vector<ChildSpec> children) override;
  asio::awaitable<SeriesOutcome> Run(SeriesOrder order) override;
  void CancelRun() override;
  asio::awaitable<void> Close() override;

 private:
  std::optional<Error> Refusal(const SeriesOrder& order) const;
  SeriesOutcome TakeOutcomes(const SeriesOrder& order, Result<wire::RunsFinished> answer) const;
  asio::awaitable<Result<void>> OpenOne(std::uint64_t generation, std::uint32_t number,
                                        ChildSpec child);

  RunnerConnection& connection_;
  std::uint64_t generation_ = 0;      // of the runner that has the children, 0 = none open
  std::vector<std::string> formats_;  // `parse` of each open child
  bool running_ = false;
  bool cancelled_ = false;  // the run under way
};

}  // namespace benchd
