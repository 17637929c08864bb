#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace benchd {

/// A way to a benchd-runner: as a child of our own (user mode) or behind a socket (system mode).
///
/// Owned by main.cc, used by one RunnerConnection, which it outlives; on the loop's thread.
class RunnerSource {
 public:
  virtual ~RunnerSource() = default;

  /// A connected SOCK_SEQPACKET socket to a runner that nobody else talks to. Does not wait for the
  /// runner to say anything. Called again only after Disconnected().
  ///
  /// @errors kUnavailable, kNotFound, kPermissionDenied, with what to do about it.
  virtual Result<UniqueFd> Connect() = 0;

  /// The socket of the last Connect() is closed, by either side.
  virtual void Disconnected() = 0;

  /// What a user can do when the runner died, for Error::hint.
  virtual std::string Hint() const = 0;
};

}  // namespace benchd
