#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

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

/// How the control socket is made when systemd does not hand one over.
struct ControlSocketOptions {
  std::filesystem::path path;
  bool system_mode = false;  ///< 0660 instead of 0600
  /// Group that may connect in system mode; empty = "benchd", if there is such a group.
  std::string group;
};

/// The listening Unix socket that clients find, and the file that stands for it.
///
/// One adopted from systemd stays systemd's: its file is never removed. One of our own is removed
/// when the object ends. The caller holds the InstanceLock of the path, so a socket file that
/// answers nobody is a dead daemon's and is replaced.
class ControlSocket {
 public:
  /// Adopts the socket that systemd passed, or binds and listens. Call it before threads start.
  ///
  /// @errors kAlreadyExists when somebody else listens there or the path is no socket; kNotFound
  ///         for a group that does not exist; kInvalidArgument when systemd passes anything else
  ///         than one listening Unix stream socket; those of bind.
  static Result<ControlSocket> Open(const ControlSocketOptions& options);

  ControlSocket(ControlSocket&& other) noexcept = default;
  ControlSocket& operator=(ControlSocket&& other) noexcept = delete;
  ~ControlSocket();

  /// Gives the descriptor away, once; the file stays ours to remove.
  UniqueFd TakeFd() { return std::move(fd_); }
  bool adopted() const { return adopted_; }

 private:
  ControlSocket(UniqueFd fd, bool adopted, std::filesystem::path path)
      : fd_(std::move(fd)), adopted_(adopted), path_(std::move(path)) {}

  UniqueFd fd_;
  bool adopted_;
  std::filesystem::path path_;
};

/// True when a daemon listens at `path`, as far as we may know: a socket that we may not connect to
/// counts as one.
bool SomebodyListens(const std::filesystem::path& path);

}  // namespace benchd
