#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "core/base/result.h"

namespace benchd {

/// A lock that lets only one daemon at a time use a socket or a database. It is an flock(2), held
/// as long as the object lives, so the kernel releases it even if the process crashes. The file is
/// kept, because removing it would let two daemons lock different files of the same name.
class InstanceLock {
 public:
  /// Locks `file` and writes our pid into it. Waits up to two seconds if the process named there
  /// has exited but the lock is still held, because one of its children may be about to call
  /// execve.
  /// @errors kAlreadyExists "benchd: already running (pid N)"; those of opening the file
  static Result<InstanceLock> Take(const std::filesystem::path& file);

 private:
  explicit InstanceLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

/// Options for creating the control socket if systemd does not pass one.
struct ControlSocketOptions {
  std::filesystem::path path;
  bool system_mode = false;  ///< mode 0660 instead of 0600
  /// The group that may connect in system mode. If empty, it is "benchd", if that group exists.
  std::string group;
};

/// The listening Unix socket for clients, and its file.
///
/// The destructor removes the file of a socket that we created, but not of a socket that systemd
/// passed. The caller holds the InstanceLock of the path, so a socket file on
/// which nothing listens was left by a dead daemon and is replaced.
class ControlSocket {
 public:
  /// Adopts the socket that systemd passed, or creates one. Call it before threads start.
  ///
  /// @errors kAlreadyExists if another process listens there or the path is not a socket; kNotFound
  ///         for a group that does not exist; kInvalidArgument if systemd passed anything but one
  ///         listening Unix stream socket; those of bind
  static Result<ControlSocket> Open(const ControlSocketOptions& options);

  ControlSocket(ControlSocket&& other) noexcept = default;
  ControlSocket& operator=(ControlSocket&& other) noexcept = delete;
  ~ControlSocket();

  /// Releases the descriptor, once; this object still removes the file.
  UniqueFd TakeFd() { return std::move(fd_); }
  bool adopted() const { return adopted_; }

 private:
  ControlSocket(UniqueFd fd, bool adopted, std::filesystem::path path)
      : fd_(std::move(fd)), adopted_(adopted), path_(std::move(path)) {}

  UniqueFd fd_;
  bool adopted_;
  std::filesystem::path path_;
};

/// Returns whether a daemon listens at `path`. A socket to which we may not connect counts as a
/// listening daemon.
bool SomebodyListens(const std::filesystem::path& path);

}  // namespace benchd
