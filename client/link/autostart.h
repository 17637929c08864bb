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
  std::string log_file;                ///< gets its stdout and stderr
  int timeout_seconds = 30;
};

/// benchd beside benchctl's own program, else in PATH, /usr/sbin, /usr/bin.
///
/// @errors (exit 5) there is none.
Result<std::string> FindDaemonProgram();

/// `benchd --user --idle-exit 600 --log-file F`, with F in the user's state directory, which is
/// made.
Result<DaemonStart> PlanUserDaemon();

/// Starts a daemon of its own session (setsid, working directory /, stdin /dev/null, all signals as
/// usual) and waits until it says READY=1 to a notify socket of ours or exits; nothing is polled.
///
/// @errors (exit 5) it cannot be executed, exits (with the end of its log) or is not ready in time.
Result<pid_t> StartDaemon(const DaemonStart& start);

/// Receives a child's "READY=1" as a service manager would (sd_notify).
///
/// The socket has no file: the kernel picks an abstract name. Only messages of our own user count,
/// since anybody may send to such a name.
class NotifySocket {
 public:
  static Result<NotifySocket> Open();

  /// What NOTIFY_SOCKET has to be.
  const std::string& address() const { return address_; }
  int fd() const { return fd_.get(); }

  /// Reads one message; true if it says that the sender is ready. Never blocks.
  bool TakeReady();

 private:
  NotifySocket(UniqueFd fd, std::string address)
      : fd_(std::move(fd)), address_(std::move(address)) {}

  UniqueFd fd_;
  std::string address_;
};

}  // namespace benchd::client
