#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "daemon/runner/launch_plan.h"
#include "daemon/runner/measured_run.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// A child as it was opened: what every run of it has in common.
struct OpenedChild {
  std::unique_ptr<LaunchPlan> plan;
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;
  std::vector<int> accept_exit;
  MetricNeeds needs;
  std::int64_t length_ns = 0;  ///< wall time of its first run; 0 before that
};

class BatchOwner {
 public:
  /// No run of the batch is under way any more.
  virtual void OnBatchFinished(wire::BatchFigures finished) = 0;

 protected:
  ~BatchOwner() = default;
};

/// The runs of one request, one after the other, as close together as they can be: between the end
/// of a child and the start of the next there are a few system calls and no word with benchd.
///
/// While one runs, the next one's child is prepared. A child prepared for a run that benchd only
/// expected is kept until the next batch tells.
class RunningBatch : public RunOwner {
 public:
  using Children = std::map<std::uint32_t, OpenedChild>;

  /// `children` is the owner's, who changes it only between batches, after DropPrepared().
  RunningBatch(MeasuredRun::Services services, Children& children, BatchOwner& owner)
      : children_(children), owner_(owner), run_(services, *this) {}
  RunningBatch(const RunningBatch&) = delete;
  RunningBatch& operator=(const RunningBatch&) = delete;

  bool idle() const { return !order_; }

  /// @errors kFailedPrecondition while one is under way, kInvalidArgument for a child that was not
  ///         opened; then the owner is not told again.
  Result<void> Start(Batch order);

  /// Kills the run under way; the batch ends with it.
  void Cancel();

  /// Forgets what was prepared; when children change. Needs idle().
  void DropPrepared();

 private:
  void OnRunFinished(Result<wire::RunFigures> figures) override;

  Result<void> Check(const RunOrder& start) const;
  RunTask TaskOf(const RunOrder& start) const;
  Result<void> StartRun(std::size_t index);
  void PrepareAfter(std::size_t index);
  bool GoesOn() const;
  void End(Result<void> result);

  Children& children_;
  BatchOwner& owner_;
  MeasuredRun run_;
  std::optional<Batch> order_;
  std::vector<wire::RunFigures> done_;
  std::int64_t started_at_ = 0;
  std::optional<RunOrder> prepared_;  // what the child that waits is for
};

}  // namespace benchd
