#include "daemon/run/connected_runner.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/result.h"

namespace benchd {

ConnectedRunner::ConnectedRunner(std::string path)
    : ConnectedRunner(std::move(path), {0, geteuid()}) {}

ConnectedRunner::ConnectedRunner(std::string path, std::vector<uid_t> trusted_uids)
    : path_(std::move(path)), trusted_uids_(std::move(trusted_uids)) {}

Result<UniqueFd> ConnectedRunner::Connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.empty() || path_.size() >= sizeof(address.sun_path)) {
    return InvalidArgument("runner socket", std::to_string(path_.size()) + " bytes, 1 to " +
                                                std::to_string(sizeof(address.sun_path) - 1) +
                                                " are allowed");
  }
  std::memcpy(address.sun_path, path_.data(), path_.size());
  // Non-blocking: a runner that does not accept must not hold the loop.
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return SystemError("socket", errno);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    Error error = SystemError("benchd-runner: " + path_, errno);
    if (error.code != ErrorCode::kPermissionDenied) error.code = ErrorCode::kUnavailable;
    error.hint = "start it: systemctl start benchd-runner.socket";
    return error;
  }
  if (auto checked = CheckPeer(socket.get()); !checked) return std::move(checked).error();
  return socket;
}

Result<void> ConnectedRunner::CheckPeer(int socket) const {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return SystemError("SO_PEERCRED of " + path_, errno);
  }
  if (std::find(trusted_uids_.begin(), trusted_uids_.end(), peer.uid) != trusted_uids_.end()) {
    return {};
  }
  return Error{ErrorCode::kPermissionDenied,
               "benchd-runner: " + path_ + " is answered by uid " + std::to_string(peer.uid) +
                   ", neither root nor benchd",
               "find out who put it there, remove it and restart benchd-runner.socket"};
}

std::string ConnectedRunner::Hint() const {
  return "submit the session again; why it died: journalctl -u benchd-runner";
}

}  // namespace benchd
