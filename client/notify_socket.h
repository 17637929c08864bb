#pragma once

#include <string>

#include "client/outcome.h"
#include "client/unique_fd.h"

namespace benchd::client {

/// Receives a child's "READY=1" as a service manager would (sd_notify).
///
/// The socket has no file: the kernel picks an abstract name. Only messages of our own user count,
/// since anybody may send to such a name.
class NotifySocket {
 public:
  static Outcome<NotifySocket> Open();

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
