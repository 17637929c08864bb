#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/session/failure.h"
#include "daemon/session/ports.h"
#include "daemon/session/services.h"

namespace benchd {

/// The kind of a command that is not measured: it runs once per session, or before or after each
/// run.
enum class HookKind { kBuild, kSetup, kPrepare, kConclude, kCleanup };
BENCHD_NAMES(HookKind, "build", "setup", "prepare", "conclude", "cleanup")

/// Returns a hook of a benchmark, which may be empty.
/// @param arm  the arm whose run it belongs to, which may have a hook of its own; nullptr for a
///             hook of the session
const Hook& HookOf(const Benchmark& benchmark, HookKind which, const Arm* arm = nullptr);

/// Returns whether a benchmark has hooks before or after each run.
bool HasRunHooks(const Benchmark& benchmark);

/// The numbers of a session's open commands at the runner: the arms of all benchmarks in order,
/// then the run hooks of benchmarks that have some.
class ChildTable {
 public:
  explicit ChildTable(const SessionSpec& spec);

  std::uint32_t Arm(std::size_t benchmark, std::size_t arm) const;
  /// Returns the number of a run hook that exists.
  std::uint32_t Of(HookKind hook, std::size_t benchmark, std::size_t arm) const;

  /// Returns the number of children that are arms; they come first.
  std::size_t arms() const { return arms_; }

 private:
  std::vector<std::uint32_t> first_arm_;  // of each benchmark
  std::vector<std::uint32_t> first_prepare_;
  std::vector<std::uint32_t> first_conclude_;
  std::size_t arms_ = 0;
};

/// Returns the child for an arm, as it is resolved and run. The arm's environment variables
/// override the session's.
ChildSpec ChildOfArm(const SessionSpec& spec, const Benchmark& benchmark, const Arm& arm);

/// Returns the child for a hook, as it is resolved and run. Environment variables state its place,
/// and its output is kept.
/// @param arm  the arm whose run it belongs to, and whose environment it gets; nullptr for a hook
///             of the session
ChildSpec ChildOfHook(const SessionSpec& spec, const SessionId& id, const Benchmark& benchmark,
                      const Arm* arm, HookKind which);

/// Returns the query that finds a child's program.
ProgramQuery QueryFor(const ChildSpec& child);

/// Returns the children that are sent to the runner, in the order of ChildTable. The programs of
/// hooks are not known yet; they are looked up when the hooks are opened.
///
/// With SessionSpec::profile, the runs of the arms are sampled, and their output is not parsed.
///
/// @param cpus  the CPUs on which children may run
std::vector<ChildSpec> ChildrenOf(const SessionSpec& spec, const SessionId& id,
                                  const std::vector<int>& cpus);

bool HasHook(const SessionSpec& spec, HookKind which);

/// Returns whether build or setup may create programs. If so, a missing program is not an error
/// before they have run.
inline bool MakesPrograms(const Benchmark& benchmark) {
  return benchmark.hooks.build.Exists() || benchmark.hooks.setup.Exists();
}

/// The result of running hooks: the first failure, and the output of all hooks.
struct HookResult {
  std::optional<Failure> failure;
  bool runner_lost = false;
  std::string log;
};

/// Resolves, opens and runs a child to its end as the caller, on all CPUs, without measuring it.
/// Replaces the children that are open at the runner.
///
/// A child that fails yields an outcome, not an error.
/// @param runner  must outlive the coroutine
/// @errors those of Runner
asio::awaitable<Result<RunOutcome>> RunOnce(Runner* runner, ChildSpec child, Nanoseconds timeout,
                                            std::stop_token stop);

/// Runs a hook that is open at a runner to its end, without measuring it.
///
/// @param runner   must outlive the coroutine
/// @param place    describes the hook in messages: "setup", "prepare of base, block 3"
/// @param by_hand  the command that was opened, for messages
asio::awaitable<HookResult> RunHook(Runner* runner, RunnerId id, RunOrder order,
                                    Nanoseconds timeout, std::string place, ByHand by_hand,
                                    std::stop_token stop);

/// Runs a session's own hooks (build, setup or cleanup) as the caller, on all CPUs. Replaces the
/// children that are open at the runner.
///
/// `build` may take one hour, or --timeout if that is longer; the others may take --timeout. The
/// first failing hook ends the sequence, except that every cleanup hook is run. A hook is not
/// started after the session was cancelled (cleanup: after benchd began to stop).
///
/// @param runner, cancel, spec  must outlive the coroutine
/// @param confirming  whether the session is in its second phase, which the variable BENCHD_PHASE
///                    then states
asio::awaitable<HookResult> RunHooks(Runner* runner, const CancelToken* cancel,
                                     const SessionSpec* spec, SessionId id, HookKind which,
                                     bool confirming = false);

}  // namespace benchd
