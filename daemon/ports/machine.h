#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// What a session wants of the machine.
struct MachineRequest {
  std::string profile;
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;  ///< CPU list, empty = the profile's
};

/// The machine's CPUs and settings: the port to benchd-runner's owner side. On the loop's thread.
///
/// All but Check() talk to the runner, which does nothing else meanwhile: the queue calls them
/// between sessions only. @errors of all: kUnavailable without a runner.
class Machine {
 public:
  virtual ~Machine() = default;

  /// Whether there is such a profile, with such CPUs: asked when a session is submitted.
  /// @errors kInvalidArgument for an unknown profile, or CPUs outside it.
  virtual asio::awaitable<Result<void>> Check(MachineRequest request) = 0;

  /// Takes the profile's settings and describes the machine as it then is.
  ///
  /// @errors those of Check(); kFailedPrecondition when `strict` isolation cannot have a setting
  ///         (it is named).
  virtual asio::awaitable<Result<MachineReport>> Acquire(MachineRequest request) = 0;

  /// Gives back what Acquire() took, unless the profile is held for longer, and tells what happened
  /// in between. Idempotent; nothing is told where the runner is gone.
  virtual asio::awaitable<MachineEnd> Release() = 0;

  /// How the settings of a profile stand now; an empty name is the one that is held, else
  /// `default`.
  /// @errors kInvalidArgument for an unknown profile.
  virtual asio::awaitable<Result<MachineStatus>> Describe(std::string profile) = 0;

  /// Takes a profile's settings until Restore(), sessions or not.
  /// @errors kInvalidArgument for an unknown profile; kFailedPrecondition in user mode.
  virtual asio::awaitable<Result<MachineStatus>> Apply(std::string profile) = 0;

  /// Gives everything back, also what an earlier runner left in the journal.
  virtual asio::awaitable<Result<MachineStatus>> Restore() = 0;

  /// Looks for noise for a second; worst first.
  virtual asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() = 0;
};

}  // namespace benchd
