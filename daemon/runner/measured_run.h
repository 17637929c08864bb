#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "daemon/base/result.h"
#include "daemon/model/session_spec.h"
#include "daemon/runner/capture.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/helper_process.h"
#include "daemon/runner/host.h"
#include "daemon/runner/launch_plan.h"
#include "daemon/runner/process_tree.h"
#include "daemon/runner/spawn.h"
#include "daemon/system/cgroup.h"
#include "daemon/wire/messages.h"

namespace benchd {

class RunOwner {
 public:
  /// The run and all its descendants are gone.
  virtual void OnRunFinished(Result<wire::RunFigures> figures) = 0;

 protected:
  ~RunOwner() = default;
};

/// How one run of a child is to go. `plan` must live until the run has finished.
struct RunTask {
  LaunchPlan* plan = nullptr;
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  bool truncate_output = false;  ///< of output_path: else append
  std::string parse;             ///< harness format of stdout, empty = none
  std::uint32_t padding_bytes = 0;
  std::int64_t timeout_ns = 0;  ///< 0 or less = none
};

/// Starts a child, waits for its end, takes its figures, and sees to it that nothing of it
/// survives. One run at a time; serves one after the other.
///
/// idle -> running -> sweeping (until no descendant is left) -> parsing (if asked for) -> idle.
/// A timeout or a cancel kills the child, and the same path is gone from there.
class MeasuredRun : public EventSink, public HelperOwner {
 public:
  struct Services {
    EventLoop& loop;
    const Host& host;
    ProcessTree& tree;
    RunCgroup* cgroup = nullptr;  ///< nullptr: none can be owned here
  };

  MeasuredRun(Services services, RunOwner& owner);
  MeasuredRun(const MeasuredRun&) = delete;
  MeasuredRun& operator=(const MeasuredRun&) = delete;

  bool idle() const { return state_ == State::kIdle; }

  /// @errors when no process can be made; then the owner is not told again.
  Result<void> Start(RunTask task);

  /// Kills the run under way, if any; it finishes with kCancelled.
  void Cancel();

 private:
  enum class State { kIdle, kRunning, kSweeping, kParsing };

  void OnReady(int fd, std::uint32_t events) override;
  void OnHelperDone(HelperProcess& helper, Result<std::string> answer) override;

  Result<void> OpenCaptures();
  void OnTimer();
  void OnExit();
  void TakeFigures(const siginfo_t& info, const rusage& usage, std::int64_t ended_at);
  void KillChild();
  void Sweep();
  void AfterSweep();
  std::optional<Error> FindFailure() const;
  void StartParsing();
  void Finish(Result<wire::RunFigures> figures);

  const Services services_;
  RunOwner& owner_;
  Timer timer_;
  SpawnArea area_;

  State state_ = State::kIdle;
  RunTask task_;
  Spawned child_;
  std::optional<Watch> child_watch_;
  std::unique_ptr<Capture> stdout_;
  std::unique_ptr<Capture> stderr_;
  UniqueFd parse_input_;
  std::string log_;
  wire::RunFigures figures_;
  bool killed_ = false;
  bool timed_out_ = false;
  bool cancelled_ = false;
  std::int64_t sweep_until_ = 0;
  std::unique_ptr<HelperProcess> parser_;
};

}  // namespace benchd
