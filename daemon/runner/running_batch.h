#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "daemon/launch/launch_plan.h"
#include "daemon/runner/measured_run.h"
#include "daemon/runner/output_parser.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// The properties that all runs of an opened child have in common.
struct OpenedChild {
  std::unique_ptr<LaunchPlan> plan;
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;
  std::string adapter;
  bool parse_stderr = false;
  bool check_output = false;
  std::string parse_file;
  std::vector<int> accept_exit;
  MetricNeeds needs;
  std::int64_t length_ns = 0;  ///< wall time of its first run; 0 before that
  /// The digest of the last stdout whose beginning was reported.
  std::optional<std::array<std::uint8_t, 32>> reported;
};

class BatchOwner {
 public:
  /// Called when the batch has ended and no run is in progress.
  virtual void OnBatchFinished(wire::BatchFigures finished) = 0;

 protected:
  ~BatchOwner() = default;
};

/// Executes the runs of one request in quick succession. Between the end of one child and the start
/// of the next, it makes a few system calls and sends no message to benchd. Outputs are parsed
/// after the last run, or when many are waiting.
///
/// While a child runs, the next child is prepared. A child that was prepared for the expected next
/// batch is kept until that batch starts.
class RunningBatch : public RunOwner, public OutputParserOwner {
 public:
  using Children = std::map<std::uint32_t, OpenedChild>;

  /// @param children  the opened children; their owner may change them only between batches, after
  ///                  DropPrepared()
  RunningBatch(MeasuredRun::Services services, Children& children, BatchOwner& owner)
      : children_(children),
        owner_(owner),
        run_(services, *this),
        parser_(services.loop, services.host, services.tree, *this) {}
  RunningBatch(const RunningBatch&) = delete;
  RunningBatch& operator=(const RunningBatch&) = delete;

  bool idle() const { return !order_; }

  /// Starts a batch.
  /// @errors kFailedPrecondition while another batch is in progress; kInvalidArgument for a child
  ///         that was not opened. The owner is not called in these cases.
  Result<void> Start(Batch order);

  /// Kills the current run, which ends the batch. Runs whose output is not parsed yet are lost.
  void Cancel();

  /// Discards the prepared child. Call this before children change. Requires idle().
  void DropPrepared();

 private:
  void OnRunFinished(Result<wire::RunFigures> figures,
                     std::optional<UnparsedOutput> output) override;
  void OnOutputsParsed(bool all) override;

  Result<void> Check(const RunOrder& start) const;
  RunTask TaskOf(const RunOrder& start) const;
  Result<void> StartRun(std::size_t index);
  void PrepareAfter(std::size_t index);
  static void OmitKnownHead(wire::RunFigures& figures, OpenedChild& child);
  bool GoesOn() const;
  void RunNext();
  void CloseFinished();
  void End(Result<void> result);
  void Report();

  Children& children_;
  BatchOwner& owner_;
  MeasuredRun run_;
  OutputParser parser_;
  std::optional<Batch> order_;
  std::optional<Result<void>> end_;  ///< why the batch has ended; outputs may still be parsed
  std::vector<wire::RunFigures> done_;
  std::int64_t started_at_ = 0;
  std::optional<RunOrder> prepared_;  // the run for which a child is prepared
};

}  // namespace benchd
