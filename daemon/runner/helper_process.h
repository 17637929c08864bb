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

/// The most that benchd-helper may answer: fits a record with a log and a stderr beside it.
inline constexpr std::size_t kHelperAnswerBytes = std::size_t{6} * 1024 * 1024;

class HelperProcess;

class HelperOwner {
 public:
  /// `answer` is what the helper printed, or why it did not. May destroy `helper`. Of one that
  /// hangs() it is called twice.
  virtual void OnHelperDone(HelperProcess& helper, Result<std::string> answer) = 0;

 protected:
  ~HelperOwner() = default;
};

struct HelperOrder {
  std::string name;               ///< of the work, for messages
  std::vector<std::string> argv;  ///< after the program's name
  UniqueFd input;                 ///< its stdin
  Caller caller;
  bool as_caller = true;  ///< false: with our own ids
  std::string cwd = "/";
  std::int64_t timeout_ns = 0;
  int nice = 0;  ///< never below benchd's own
};

/// One short-lived benchd-helper: touches what belongs to a caller, with the caller's ids, the
/// caller's limits and tighter ones of our own, on the housekeeping CPUs; where Host says so, in a
/// control group of its own, of which nothing is left when the answer is given.
///
/// Destroying it kills the process.
class HelperProcess final : public EventSink {
 public:
  HelperProcess(EventLoop& loop, const Host& host, ProcessTree& tree, HelperOwner& owner);
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;
  ~HelperProcess();

  /// @errors when it cannot be started; then the owner is not told again.
  Result<void> Start(HelperOrder order);

  /// It does not die, because it hangs in the kernel: the owner has been told that it failed, and
  /// is told once more when it is gone. Whoever does not wait for that destroys it.
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

/// A sealed-off temporary file in memory that holds `text`, rewound: the stdin of a helper.
Result<UniqueFd> MemoryWith(std::string_view text);

/// An empty one.
Result<UniqueFd> EmptyMemory();

}  // namespace benchd
