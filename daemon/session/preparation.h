#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "daemon/session/ports.h"
#include "daemon/session/services.h"

namespace benchd {

/// The result of preparing a session for its first run.
struct Prepared {
  RunnerId runner = 0;  ///< the runner that holds the machine, also after a failure
  std::optional<Failure> failure;
  bool runner_lost = false;  ///< the failure is that benchd-runner has exited
  bool rebooted = false;     ///< whether the machine was rebooted: repeat the warm-up
  bool expanded = false;     ///< whether the spec now has the benchmarks found in the programs
  std::string log;           ///< the output of the hooks
};

/// Prepares a session on a free machine: applies the settings, runs build and setup unless they
/// have run before, lists the benchmarks inside the programs if they have a harness, finds the
/// programs and opens the children.
///
/// If strict isolation is impossible, fails before anything is run. Build and setup use the whole
/// machine, without the settings. In the second phase of a session (SessionSpec::confirm), build
/// and setup run again, and the result is kept apart. Lives as long as its session.
class Preparation {
 public:
  /// `services`, `spec` and `snapshot` must outlive this object, which writes `machine`, `found`
  /// and `setup` (or `second_phase`) of the snapshot, and expands the spec by what was found.
  Preparation(const SessionServices& services, SessionSpec& spec, SessionSnapshot& snapshot)
      : services_(services), spec_(spec), snapshot_(snapshot) {}

  asio::awaitable<Prepared> Run();

  /// Opens the children again, after commands of the spec have changed.
  /// @return as Run(), of which only `failure` and `runner_lost` may be set
  asio::awaitable<Prepared> Reopen(RunnerId runner);

 private:
  /// The result of build and setup of the current phase.
  std::optional<SetupResult>& Setup() const {
    return snapshot_.second_phase ? snapshot_.second_phase->setup : snapshot_.setup;
  }
  bool SetupIsDue() const;
  asio::awaitable<void> TakeMachine(Prepared* prepared);
  asio::awaitable<void> SetUp(Prepared* prepared);
  asio::awaitable<void> FindBenchmarks(Prepared* prepared);
  asio::awaitable<std::optional<Failure>> FindPrograms();
  asio::awaitable<void> OpenChildren(Prepared* prepared);

  const SessionServices& services_;
  SessionSpec& spec_;
  SessionSnapshot& snapshot_;
  std::vector<Warning> warnings_;  // from the build
};

/// The state of a resumed session's machine, compared with its state when the session began.
enum class MachineAgain {
  kSame,      ///< nothing must be repeated
  kRebooted,  ///< caches are cold and addresses are new: setup and warm-up run again
};

/// Compares the records of two moments of a session. Kernel, CPU and microcode must be equal,
/// because runs before and after a change are not comparable. A fact that either record lacks is
/// not compared.
///
/// @errors kFailedPrecondition naming the fact with both values
Result<MachineAgain> CompareMachines(const Environment& before, const Environment& now);

}  // namespace benchd
