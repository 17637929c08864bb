#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/kernel/tree_group.h"
#include "daemon/launch/capture.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/host.h"
#include "daemon/launch/launch_plan.h"
#include "daemon/launch/process_tree.h"
#include "daemon/launch/spawn.h"

namespace benchd {

/// The limit on the size of an answer of benchd-helper. Together, an answer, a log and the end of
/// stderr fit into one record.
inline constexpr std::size_t kHelperAnswerBytes = std::size_t{6} * 1024 * 1024;

class HelperProcess;

class HelperOwner {
 public:
  /// Called when a helper has ended, and called twice for a helper that hangs(). The owner may
  /// destroy `helper` in this function.
  /// @param answer  the helper's output, or an error
  virtual void OnHelperDone(HelperProcess& helper, Result<std::string> answer) = 0;

 protected:
  ~HelperOwner() = default;
};

struct HelperOrder {
  std::string name;               ///< the subject of the task, for messages
  std::vector<std::string> argv;  ///< the arguments after the program's name
  UniqueFd input;                 ///< the helper's stdin
  Caller caller;
  bool as_caller = true;  ///< false: run with the runner's own ids
  std::string cwd = "/";
  std::int64_t timeout_ns = 0;
  int nice = 0;  ///< never below the runner's own nice value
};

/// Runs benchd-helper once, to access data that belongs to a caller. The helper has the caller's
/// ids and the caller's limits, or tighter ones, and runs on the housekeeping CPUs. If
/// Host::helper_groups is set, the helper has its own control group, and all processes in that
/// group have exited before the owner receives the answer.
///
/// The destructor kills the process.
class HelperProcess final : public EventSink {
 public:
  HelperProcess(EventLoop& loop, const Host& host, ProcessTree& tree, HelperOwner& owner);
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;
  ~HelperProcess();

  /// Starts the helper.
  /// @errors if the helper cannot be started; the owner is not called in that case.
  Result<void> Start(HelperOrder order);

  /// True if the process survived SIGKILL because it hangs in the kernel. The owner has been called
  /// with an error and is called again when the process exits. An owner that does not want to wait
  /// for that can destroy this object.
  bool hangs() const { return hangs_; }

 private:
  void OnReady(int fd, std::uint32_t events) override;
  void OnTimer();
  Result<void> MakeGroup();
  Error TookTooLong() const;
  Result<std::string> Collect(int status, bool exited);
  void KillAndReap();

  EventLoop& loop_;
  const Host& host_;
  ProcessTree& tree_;
  HelperOwner& owner_;
  std::string name_;
  UniqueFd answer_;
  SpawnArea area_;
  std::unique_ptr<LaunchPlan> plan_;
  LaunchMemory memory_;
  std::unique_ptr<Capture> stdout_;
  std::unique_ptr<Capture> stderr_;
  std::optional<TreeGroup> group_;
  Spawned process_;
  bool timed_out_ = false;
  bool hangs_ = false;
  std::optional<Timer> timer_;
  std::optional<Watch> watch_;
};

/// Returns a memfd that contains `text`, rewound to its start, for the stdin of a helper.
Result<UniqueFd> MemoryWith(std::string_view text);
/// Adds a text at the end of a memory file, and rewinds it to its start.
Result<void> AppendToMemory(int memory, std::string_view text);

/// Returns an empty memfd.
Result<UniqueFd> EmptyMemory();

}  // namespace benchd
