#pragma once

#include <string>
#include <string_view>

#include "daemon/base/result.h"

namespace benchd {

/// The kernel's files in /proc and /sys below one root directory, so that tests can lay their own.
///
/// Paths are given without the leading slash: "sys/devices/system/cpu/online".
class KernelFiles {
 public:
  /// `root` is "/" on a real machine.
  explicit KernelFiles(std::string root);

  /// The whole file without trailing white space; files here are small (64 KiB are read at most).
  /// @errors kNotFound, kPermissionDenied and other failures of the system calls, with the path.
  Result<std::string> Read(std::string_view path) const;

 private:
  std::string root_;
};

}  // namespace benchd
