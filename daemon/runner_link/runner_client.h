#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/runner_link/runner_connection.h"
#include "daemon/session/ports.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Converts a runner's figures to samples. The built-in metrics come first, in their order and
/// units (model/metric.h: seconds, bytes, counts). The optional metrics that are present follow,
/// then the metrics that benchd-helper parsed. The values of counters that took turns are scaled to
/// the whole run. A pure function.
///
/// The helper's output is not trusted, because the helper ran with the caller's ids. A failed child
/// keeps its figures even if its output cannot be parsed, because the way it ended is more
/// informative.
///
/// @param format  harness format of the child; empty: the output is not parsed, and
///                `figures.parsed` is ignored
/// @param accepted  exit codes that do not count as failure; empty: only 0
/// @param sampled  whether the run was sampled; `figures.parsed` then has its profile (model/
///                 profile.h), or is empty if there was no sample
/// @errors kInvalidArgument "parse: line 3: ..." from the parser, or "parse: 'wall_time' is a
///         metric that benchd measures itself"; kFailedPrecondition "metric instructions: not
///         available here: ..." for a requested metric; kInternal if the helper's output cannot be
///         decoded.
Result<RunOutcome> MakeRunOutcome(wire::RunFigures figures, std::string_view format,
                                  std::span<const int> accepted = {}, bool sampled = false);

/// Implements the Runner port with benchd-runner. Owned by main.cc; the connection must outlive it.
/// Called on the loop's thread only.
///
/// Check() needs only the data from the handshake, so it does not disturb measurements.
class RunnerClient : public Runner {
 public:
  explicit RunnerClient(RunnerConnection& connection) : connection_(connection) {}

  asio::awaitable<Result<void>> Check(MachineRequest request) override;
  asio::awaitable<Result<ProgramIdentity>> Resolve(ProgramQuery query) override;
  asio::awaitable<Result<Lease>> Acquire(std::optional<MachineRequest> machine) override;
  asio::awaitable<Result<void>> Open(RunnerId runner, std::vector<ChildSpec> children) override;
  /// @errors additionally kFailedPrecondition for children that are not open, or while another
  ///         batch is in progress.
  asio::awaitable<BatchOutcome> Run(RunnerId runner, Batch batch, std::stop_token stop) override;
  asio::awaitable<MachineEnd> Release(RunnerId runner) override;
  asio::awaitable<Result<MachineStatus>> Describe(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Apply(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Restore() override;
  asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() override;

 private:
  /// Sends a request to the current runner, connecting first if necessary. `what` completes
  /// "benchd-runner died during WHAT".
  template <typename Question>
  asio::awaitable<AnswerTo<Question>> AskAny(Question question, const char* what);
  std::optional<Error> Refusal(RunnerId runner, const Batch& batch) const;
  BatchOutcome OutcomeOf(const Batch& batch, Result<wire::BatchFigures> answer) const;

  RunnerConnection& connection_;
  RunnerId holder_ = 0;  // the runner that holds the machine's settings for a session
  RunnerId opened_ = 0;  // the runner that has the children
  struct Child {
    std::string parse;
    std::vector<int> accept_exit;
    bool sampled = false;
  };
  std::vector<Child> children_;  // the properties of each child that an outcome depends on
  bool running_ = false;
};

}  // namespace benchd
