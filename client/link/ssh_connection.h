#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>

#include "client/link/login.h"
#include "core/base/file.h"

namespace benchd::client {

/// How ssh is started.
struct SshOptions {
  bool may_start = true;   ///< benchctl on the other machine may start a daemon
  bool may_prompt = true;  ///< ssh may ask for a passphrase on the terminal
  /// Time limit for the greeting, including the time to type a password.
  std::chrono::seconds timeout{300};
};

/// An ssh process that runs `benchctl dial-stdio` on another machine, and the socket to the daemon
/// there.
///
/// The process ends with this object and with the thread that created it (PR_SET_PDEATHSIG). It
/// ignores Ctrl-C, because cancelling a session needs the connection. Not thread-safe.
class SshConnection {
 public:
  /// Starts BENCHD_SSH, else `ssh` from PATH, and waits for the greeting.
  ///
  /// @errors (exit 5) the connection failed; the message is that of ssh or of the remote benchctl.
  static Result<std::unique_ptr<SshConnection>> Open(const SshTarget& target,
                                                     const SshOptions& options);
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;
  ~SshConnection();

  const RemoteLogin& login() const { return login_; }

  /// Returns the messages ("benchctl: ...") of the remote benchctl so far, one per line.
  std::string Messages() const;

  /// Returns the connection after the greeting, for gRPC. Call this once.
  UniqueFd TakeSocket() { return std::move(socket_); }

  /// Returns the reason for the lost connection, if ssh reports one. Waits briefly for ssh to exit.
  Error Explain();

 private:
  explicit SshConnection(SshTarget target) : target_(std::move(target)) {}

  Result<void> Spawn(const SshOptions& options);
  Result<void> AwaitGreeting(std::chrono::seconds timeout);
  std::string ErrorOutput() const;
  bool AwaitEnd(std::chrono::milliseconds timeout);

  const SshTarget target_;
  UniqueFd socket_;
  UniqueFd err_;  ///< a file in memory: stderr of ssh
  UniqueFd pidfd_;
  pid_t pid_ = -1;  ///< -1 once reaped; end_ is set then
  SshEnd end_;
  RemoteLogin login_;
};

}  // namespace benchd::client
