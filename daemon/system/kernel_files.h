#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The kernel's files in /proc, /sys and /dev below one root directory, so that tests can lay their
/// own. A decorator may override the virtual functions, to refuse what a plain folder never
/// refuses.
///
/// Paths are given without the leading slash: "sys/devices/system/cpu/online".
class KernelFiles {
 public:
  /// `root` is "/" on a real machine.
  explicit KernelFiles(std::string root);
  KernelFiles(const KernelFiles&) = default;
  KernelFiles& operator=(const KernelFiles&) = default;
  virtual ~KernelFiles() = default;

  /// The whole file without trailing white space; files here are small (1 MiB is read at most).
  /// @errors kNotFound, kPermissionDenied and other failures of the system calls, with the path.
  virtual Result<std::string> Read(std::string_view path) const;

  /// One write(2) of `text` into a file that is there. Success means that the kernel took the call,
  /// not that it kept the value: read it back.
  /// @errors as Read().
  virtual Result<void> Write(std::string_view path, std::string_view text) const;

  /// The names in a folder, without "." and "..", sorted; empty where there is no such folder.
  std::vector<std::string> List(std::string_view path) const;

  bool Exists(std::string_view path) const;

  /// Where `path` really lies, for system calls that need it.
  std::string FullPath(std::string_view path) const { return root_ + std::string(path); }
  /// True for the machine's own files: only then do systemd and /dev exist for us.
  bool IsReal() const { return root_ == "/"; }

 private:
  std::string root_;
};

}  // namespace benchd
