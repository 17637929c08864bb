#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "client/app/exit_code.h"
#include "core/base/file.h"

namespace benchd::client {

/// How a user daemon is started.
struct DaemonStart {
  std::string program;                 ///< absolute path of benchd
  std::vector<std::string> arguments;  ///< without the program's name
  std::string log_file;                ///< receives its stdout and stderr
  int timeout_seconds = 30;
};

/// Looks for benchd in the directory of benchctl, then in PATH, /usr/sbin and /usr/bin.
///
/// @errors (exit 5) benchd was not found.
Result<std::string> FindDaemonProgram();

/// Plans to start `benchd --user --idle-exit 600 --log-file F`, where F is in the user's state
/// directory. Creates that directory.
Result<DaemonStart> PlanUserDaemon();

/// Starts a daemon in a new session (setsid, working directory /, stdin /dev/null, default signal
/// actions) and waits, without polling, until it sends READY=1 to a notify socket or exits.
///
/// @errors (exit 5) the daemon cannot be executed, exits (the message contains the end of its log)
///         or is not ready in time.
Result<pid_t> StartDaemon(const DaemonStart& start);

/// Receives a child's "READY=1" as a service manager would (sd_notify).
///
/// The socket has no file: the kernel chooses an abstract name. Any user can send to such a name,
/// so messages from other users are ignored.
class NotifySocket {
 public:
  static Result<NotifySocket> Open();

  /// Returns the value for NOTIFY_SOCKET.
  const std::string& address() const { return address_; }
  int fd() const { return fd_.get(); }

  /// Reads one message and returns whether it is READY=1. Never blocks.
  bool TakeReady();

 private:
  NotifySocket(UniqueFd fd, std::string address)
      : fd_(std::move(fd)), address_(std::move(address)) {}

  UniqueFd fd_;
  std::string address_;
};

}  // namespace benchd::client
