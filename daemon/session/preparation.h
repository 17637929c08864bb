#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "daemon/ports/ports.h"
#include "daemon/session/run_session.h"

namespace benchd {

/// How the way to a session's first run ended.
struct Prepared {
  RunnerId runner = 0;  ///< which has the machine, also after a failure
  std::optional<Failure> failure;
  bool runner_lost = false;  ///< the failure is that benchd-runner is gone
  bool rebooted = false;     ///< since the session began: warm-up is due again
  std::string log;           ///< what the hooks printed
};

/// From a free machine to opened commands: the machine's settings, build and setup where they have
/// not run, the programs, the children.
///
/// Strict isolation is refused before anything is run. Build and setup have the whole machine,
/// without its settings. Lives as long as its session.
class Preparation {
 public:
  /// `services`, `spec` and `snapshot` outlive this; of the snapshot `machine` and `setup` are
  /// written.
  Preparation(const SessionServices& services, const SessionSpec& spec, SessionSnapshot& snapshot)
      : services_(services), spec_(spec), snapshot_(snapshot) {}

  asio::awaitable<Prepared> Run();

 private:
  bool SetupIsDue() const;
  asio::awaitable<void> TakeMachine(Prepared* prepared);
  asio::awaitable<void> SetUp(Prepared* prepared);
  asio::awaitable<std::optional<Failure>> FindPrograms();
  asio::awaitable<void> OpenChildren(Prepared* prepared);

  const SessionServices& services_;
  const SessionSpec& spec_;
  SessionSnapshot& snapshot_;
  std::vector<Warning> warnings_;  // of the build
};

/// What a session that goes on finds of the machine it began on.
enum class MachineAgain {
  kSame,      ///< nothing has to be done again
  kRebooted,  ///< caches are cold and addresses new: setup and warm-up run again
};

/// Compares the records of two moments of a session: kernel, CPU and microcode have to be the same,
/// as runs before and after another one are not comparable. A fact that either record lacks is not
/// compared.
///
/// @errors kFailedPrecondition naming the fact with both values.
Result<MachineAgain> CompareMachines(const Environment& before, const Environment& now);

}  // namespace benchd
