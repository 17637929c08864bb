#pragma once

#include <asio/awaitable.hpp>
#include <string>

#include "daemon/base/result.h"
#include "daemon/model/session.h"
#include "daemon/model/session_spec.h"

namespace benchd {

/// What a session wants of the machine.
struct MachineRequest {
  std::string profile;
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;  ///< CPU list, empty = the profile's
};

/// The machine's CPUs and settings: the port to benchd-runner's owner side. On the loop's thread.
class Machine {
 public:
  virtual ~Machine() = default;

  /// Takes the profile's settings and describes the machine as it then is.
  ///
  /// @errors kFailedPrecondition when `strict` isolation cannot have a setting (it is named);
  ///         kInvalidArgument for an unknown profile or CPUs outside it; kUnavailable without a
  ///         runner.
  virtual asio::awaitable<Result<MachineReport>> Acquire(MachineRequest request) = 0;

  /// Gives everything back. Idempotent.
  virtual asio::awaitable<void> Release() = 0;
};

}  // namespace benchd
