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
#include "daemon/ports/ports.h"
#include "daemon/session/failure.h"
#include "daemon/session/run_session.h"

namespace benchd {

/// Commands around what is measured: once a session, or before and after each run.
enum class HookKind { kBuild, kSetup, kPrepare, kConclude, kCleanup };
BENCHD_NAMES(HookKind, "build", "setup", "prepare", "conclude", "cleanup")

/// The hook of a benchmark; it may be none.
/// @param arm  whose run it is around, which may have its own; none for a hook of the session
const Hook& HookOf(const Benchmark& benchmark, HookKind which, const Arm* arm = nullptr);

/// Whether anything is to be run before or after each run of a benchmark.
bool HasRunHooks(const Benchmark& benchmark);

/// The numbers under which a session's commands are open at the runner: arm after arm of all
/// benchmarks, then the hooks around the runs of those that have them. A value.
class ChildTable {
 public:
  explicit ChildTable(const SessionSpec& spec);

  std::uint32_t Arm(std::size_t benchmark, std::size_t arm) const;
  /// For a hook of a run that exists.
  std::uint32_t Of(HookKind hook, std::size_t benchmark, std::size_t arm) const;

  /// How many of the children are arms; they come first.
  std::size_t arms() const { return arms_; }

 private:
  std::vector<std::uint32_t> first_arm_;  // of each benchmark
  std::vector<std::uint32_t> first_prepare_;
  std::vector<std::uint32_t> first_conclude_;
  std::size_t arms_ = 0;
};

/// An arm as it is looked up and run, its environment over the session's.
ChildSpec ChildOfArm(const SessionSpec& spec, const Benchmark& benchmark, const Arm& arm);

/// A hook as it is looked up and run: told where it is, and what it prints is kept.
/// @param arm  whose run it is around, as that one would be run; none for a hook of the session.
ChildSpec ChildOfHook(const SessionSpec& spec, const SessionId& id, const Benchmark& benchmark,
                      const Arm* arm, HookKind which);

/// How a child's program is looked up.
ProgramQuery QueryFor(const ChildSpec& child);

/// What the runner is handed for a session, in the numbering of ChildTable. Hooks have no program
/// yet: it is whatever is found when they are opened.
///
/// @param cpus  where children may run.
std::vector<ChildSpec> ChildrenOf(const SessionSpec& spec, const SessionId& id,
                                  const std::vector<int>& cpus);

bool HasHook(const SessionSpec& spec, HookKind which);

/// A program that build or setup may still make is not missed before they have run.
inline bool MakesPrograms(const Benchmark& benchmark) {
  return benchmark.hooks.build.Exists() || benchmark.hooks.setup.Exists();
}

/// What came of hooks: why the first that failed did, and what all of them printed.
struct HookResult {
  std::optional<Failure> failure;
  bool runner_lost = false;
  std::string log;
};

/// Runs a hook that is open at a runner, untimed, to its end.
///
/// @param runner  outlives the coroutine.
/// @param place   whose it is, for messages: "setup", "prepare of base, block 3".
/// @param by_hand  what was opened, for messages
asio::awaitable<HookResult> RunHook(Runner* runner, RunnerId id, RunOrder order,
                                    Nanoseconds timeout, std::string place, ByHand by_hand,
                                    std::stop_token stop);

/// Runs a session's own hooks (build, setup or cleanup), as the caller, on all CPUs. Replaces what
/// is open at the runner.
///
/// `build` may take an hour, or --timeout where that is longer; the others --timeout. After a
/// failing one none is run any more; of cleanup each is run, whatever the others did. What was
/// cancelled (cleanup: what benchd stops in) before it was started is not started.
///
/// @param runner, cancel, spec  outlive the coroutine.
asio::awaitable<HookResult> RunHooks(Runner* runner, const CancelToken* cancel,
                                     const SessionSpec* spec, SessionId id, HookKind which);

}  // namespace benchd
