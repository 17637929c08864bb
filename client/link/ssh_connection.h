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
  bool may_start = true;   ///< benchctl over there may start a daemon
  bool may_prompt = true;  ///< ssh may ask for a passphrase, on the terminal
  /// Until the greeting: somebody may have to type a password meanwhile.
  std::chrono::seconds timeout{300};
};

/// One ssh that runs `benchctl dial-stdio` on another machine, and the socket to the daemon there.
///
/// It ends with this object, and with the thread that made it (PR_SET_PDEATHSIG). Ctrl-C does not
/// reach it: who is to cancel a session needs the connection. Not thread-safe.
class SshConnection {
 public:
  /// Starts BENCHD_SSH, else `ssh` of PATH, and waits for the greeting.
  ///
  /// @errors (exit 5) in the words of ssh, or of benchctl over there.
  static Result<std::unique_ptr<SshConnection>> Open(const SshTarget& target,
                                                     const SshOptions& options);
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;
  ~SshConnection();

  const RemoteLogin& login() const { return login_; }

  /// What the benchctl over there has told so far ("benchctl: ..."), a line each.
  std::string Messages() const;

  /// The connection behind the greeting, for gRPC; once.
  UniqueFd TakeSocket() { return std::move(socket_); }

  /// Why a connection broke off, as far as ssh knows: waits a moment for its end.
  Error Explain();

 private:
  explicit SshConnection(SshTarget target) : target_(std::move(target)) {}

  Result<void> Spawn(const SshOptions& options);
  Result<void> AwaitGreeting(std::chrono::seconds timeout);
  std::string ErrorOutput() const;
  bool AwaitEnd(std::chrono::milliseconds timeout);

  const SshTarget target_;
  UniqueFd socket_;
  UniqueFd err_;  ///< a file in memory: what ssh writes on stderr
  UniqueFd pidfd_;
  pid_t pid_ = -1;  ///< -1: reaped, end_ says how it ended
  SshEnd end_;
  RemoteLogin login_;
};

}  // namespace benchd::client
