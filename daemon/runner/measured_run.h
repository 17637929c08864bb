#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/kernel/tree_group.h"
#include "daemon/launch/callers.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/helper_process.h"
#include "daemon/launch/host.h"
#include "daemon/launch/launch.h"
#include "daemon/launch/process_tree.h"
#include "daemon/launch/spawn.h"
#include "daemon/launch/start_phase.h"
#include "daemon/runner/output_parser.h"
#include "daemon/settings/machine_owner.h"
#include "daemon/wire/messages.h"

namespace benchd {

class RunOwner {
 public:
  /// Called when the run and all its descendants have ended.
  /// @param output  what the run printed, if it is yet to be parsed
  virtual void OnRunFinished(Result<wire::RunFigures> figures,
                             std::optional<UnparsedOutput> output) = 0;

 protected:
  ~RunOwner() = default;
};

/// Keeps track of children that survived SIGKILL, until they end. It watches their descriptors,
/// because a child that never reached execve ends without SIGCHLD.
class HungChildren : public EventSink {
 public:
  HungChildren(EventLoop& loop, ProcessTree& tree) : loop_(loop), tree_(tree) {}

  void Add(Spawned child);

 private:
  struct Hung {
    Hung(EventLoop& loop, Spawned hung, EventSink& sink)
        : child(std::move(hung)), watch(loop, child.pidfd.get(), sink) {}
    Spawned child;
    Watch watch;
  };
  void OnReady(int fd, std::uint32_t events) override;

  EventLoop& loop_;
  ProcessTree& tree_;
  std::list<Hung> children_;
};

/// Starts a child, waits for its end, collects its figures, and ensures that no descendant
/// survives. Serves one run after another.
///
/// States: idle -> clearing (if the run writes its numbers to files) -> running -> sweeping (until
/// no descendant is left) -> parsing (if the run wrote its numbers to files, or was sampled) ->
/// idle.
///
/// A timeout or a cancellation kills the child, and the same states follow. A child that survives
/// SIGKILL is in the state kDying until it ends, or until it is given up with its process tree.
/// While a run is in progress, the child of the next run may be prepared, so that StartPrepared()
/// only has to start it.
class MeasuredRun : public EventSink, public HelperOwner {
 public:
  struct Services {
    EventLoop& loop;
    const Host& host;
    ProcessTree& tree;
    MachineOwner& machine;
    const ChildLimits& limits;
    const AccessRules& access;
    const PerfSupport& perf;
    const DisturbanceFiles& disturbances;
    bool counters_always = false;
    /// The control groups of the current run and of the run being prepared.
    std::array<TreeGroup*, 2> groups{};
    /// The spawner's control group, which has the same CPUs; nullptr: there is no partition.
    TreeGroup* spawner_group = nullptr;
  };

  MeasuredRun(Services services, RunOwner& owner);
  MeasuredRun(const MeasuredRun&) = delete;
  MeasuredRun& operator=(const MeasuredRun&) = delete;

  bool idle() const { return state_ == State::kIdle; }

  /// Starts a run. First removes the files in which it will write its numbers, if there are any; if
  /// that fails, the run finishes with the error.
  /// @errors if no process can be created; the owner is not called in that case.
  Result<void> Start(RunTask task);

  /// Prepares the next run. Its child is created when the current run ends and waits for
  /// StartPrepared(). Has no effect if other work must be done between the two runs; Start() then
  /// creates the child.
  void Prepare(RunTask task);
  bool prepared() const { return next_->prepared(); }
  /// Starts the prepared run. Requires prepared() and idle(). Call Prepare() or DiscardPrepared()
  /// afterwards, so that the resources of the previous run are released.
  /// @errors those of Start()
  Result<void> StartPrepared();
  void DiscardPrepared() { next_->Discard(); }
  /// Discards the prepared run and closes the spawner until it is needed again. Requires idle().
  void EndPreparing();
  /// Releases the remaining resources of the finished run. Allowed only before the prepared run is
  /// started.
  void CloseFinished();

  /// Kills the run in progress, if there is one. The run finishes with kCancelled.
  void Cancel();

 private:
  enum class State { kIdle, kClearing, kRunning, kDying, kSweeping, kParsing };

  void OnReady(int fd, std::uint32_t events) override;
  void OnHelperDone(HelperProcess& helper, Result<std::string> answer) override;

  Result<void> StartClearing(RunTask task);
  void FinishClearing(const Result<std::string>& answer);
  Result<void> StartNow(RunTask task);
  void Begin();
  void AwaitPhase();
  void OpenSpawner();
  void CloseSpawner();
  void StartAgain();
  void OnEnd();
  void OnTimer();
  bool TakeEnd();
  void AwaitDeath(bool of_itself);
  void GoOnDying();
  void GiveUpChild();
  void KillTree();
  std::int64_t EndedAt(std::int64_t seen_at) const;
  void TakeFigures(const siginfo_t& info, const rusage& usage, std::int64_t ended_at);
  void TakeUsage(const rusage& usage);
  void NoteTurns(const std::optional<ThreadSchedule>& main, std::uint64_t forks);
  void DropCaches(const RunTask& task) const;
  void KillChild();
  void Sweep();
  void GiveUpSweeping();
  void AfterSweep();
  std::optional<Error> FindFailure() const;
  void StartParsing();
  Result<HelperOrder> OrderForHelper();
  Result<HelperOrder> OrderForProfile();
  Result<HelperOrder> OrderForFiles() const;
  std::optional<UnparsedOutput> TakeUnparsed();
  void Finish(Result<wire::RunFigures> figures, std::optional<UnparsedOutput> output = {});

  const Services services_;
  RunOwner& owner_;
  Timer timer_;
  std::shared_ptr<Spawner> spawner_;
  CpusetKind spawner_cpuset_ = CpusetKind::kAffinity;  ///< the kind when the spawner was opened
  Launch first_;
  Launch second_;
  Launch* now_ = &first_;
  Launch* next_ = &second_;

  State state_ = State::kIdle;
  RunTask waiting_;  ///< starts after the files have been removed
  StartPhase phase_{static_cast<std::uint64_t>(MonotonicNow())};
  wire::RunFigures figures_;
  bool killed_ = false;
  bool timed_out_ = false;
  bool cancelled_ = false;
  std::int64_t sweep_until_ = 0;
  std::size_t fewest_left_ = 0;
  std::unique_ptr<HelperProcess> helper_;  ///< removes files, parses, or reads samples
  HungChildren hung_;
};

}  // namespace benchd
