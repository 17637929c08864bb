#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/runner/capture.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/host.h"
#include "daemon/runner/launch_plan.h"
#include "daemon/runner/process_tree.h"
#include "daemon/runner/spawn.h"
#include "daemon/system/tree_group.h"

namespace benchd {

/// Limit for an answer of benchd-helper. An answer, a log and a stderr together fit into a record.
inline constexpr std::size_t kHelperAnswerBytes = std::size_t{6} * 1024 * 1024;

class HelperProcess;

class HelperOwner {
 public:
  /// @param answer  what the helper printed, or an error. Called twice for a helper that hangs().
  ///                May destroy `helper`.
  virtual void OnHelperDone(HelperProcess& helper, Result<std::string> answer) = 0;

 protected:
  ~HelperOwner() = default;
};

struct HelperOrder {
  std::string name;               ///< names the work in messages
  std::vector<std::string> argv;  ///< after the program's name
  UniqueFd input;                 ///< its stdin
  Caller caller;
  bool as_caller = true;  ///< false: with our own ids
  std::string cwd = "/";
  std::int64_t timeout_ns = 0;
  int nice = 0;  ///< never below benchd's own
};

/// Runs benchd-helper once, to access what belongs to a caller: with the caller's ids, with the
/// caller's limits or tighter ones, and on the housekeeping CPUs. If Host names a folder for it,
/// the helper has a control group of its own, whose processes have all exited when the answer is
/// given.
///
/// The destructor kills the process.
class HelperProcess final : public EventSink {
 public:
  HelperProcess(EventLoop& loop, const Host& host, ProcessTree& tree, HelperOwner& owner);
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;
  ~HelperProcess();

  /// @errors when it cannot be started; the owner is not called then.
  Result<void> Start(HelperOrder order);

  /// True if the process survived SIGKILL because it hangs in the kernel. The owner has been called
  /// with an error, and is called again when the process has exited. An owner that does not wait
  /// for that destroys this object.
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

/// A memfd that holds `text`, rewound, for a helper's stdin.
Result<UniqueFd> MemoryWith(std::string_view text);

/// An empty memfd.
Result<UniqueFd> EmptyMemory();

}  // namespace benchd
