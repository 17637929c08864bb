#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/fields.h"
#include "core/model/batch.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Commands around what is measured: once a session, or before and after each run.
enum class HookKind { kBuild, kSetup, kPrepare, kConclude, kCleanup };
BENCHD_NAMES(HookKind, "build", "setup", "prepare", "conclude", "cleanup")

/// The hook of a benchmark; it may be none.
const Hook& HookOf(const Benchmark& benchmark, HookKind which);

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

}  // namespace benchd
