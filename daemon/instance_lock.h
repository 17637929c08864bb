#pragma once

#include <filesystem>

#include "core/base/file.h"
#include "core/base/result.h"

namespace benchd {

/// One daemon at a time for a socket or a database: an flock(2) held as long as the object lives,
/// so that it vanishes with the process, however that ends. The file stays: removing it would let
/// two daemons hold locks on two files of the same name.
class InstanceLock {
 public:
  /// Takes the lock in `file` and writes our pid into it. Waits up to two seconds when the process
  /// that is named there has gone and the lock has not: a child of its is about to become another
  /// program.
  /// @errors kAlreadyExists "benchd: already running (pid N)"; those of opening the file.
  static Result<InstanceLock> Take(const std::filesystem::path& file);

 private:
  explicit InstanceLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace benchd
