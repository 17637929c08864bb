#include "client/socket_places.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "client/users.h"

namespace benchd::client {

SocketPlaces DefaultPlaces() {
  SocketPlaces places;
  places.uid = getuid();
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  // The specification of these variables: a relative path is invalid and counts as not set.
  if (runtime_dir != nullptr && runtime_dir[0] == '/') places.runtime_dir = runtime_dir;
  return places;
}

Outcome<std::string> UserSocket(const SocketPlaces& places) {
  if (!places.runtime_dir.empty()) return places.runtime_dir + "/benchd/benchd.sock";
  const std::string directory = places.shared_dir + "/benchd-" + std::to_string(places.uid);
  const std::string socket = directory + "/benchd.sock";
  struct stat status {};
  if (lstat(directory.c_str(), &status) != 0) {
    if (errno == ENOENT) return socket;
    return ConnectionError(directory + ": " + std::strerror(errno));
  }
  const std::string hint = "remove it, or set XDG_RUNTIME_DIR to a directory of your own";
  if (S_ISLNK(status.st_mode))
    return ConnectionError(directory + ": it is a link, not a directory", hint);
  if (!S_ISDIR(status.st_mode)) return ConnectionError(directory + ": it is not a directory", hint);
  if (status.st_uid != places.uid) {
    return ConnectionError(directory + ": it belongs to " + UserName(status.st_uid) + ", not to " +
                               UserName(places.uid),
                           hint);
  }
  if ((status.st_mode & 0777) != 0700) {
    return ConnectionError(directory + ": its mode lets others in", "chmod 700 " + directory);
  }
  return socket;
}

UniqueFd ConnectUnix(const std::string& path, std::chrono::milliseconds patience, int* error) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    *error = path.empty() ? ENOENT : ENAMETOOLONG;
    return UniqueFd();
  }
  path.copy(address.sun_path, path.size());
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(patience);
  const timeval limit{seconds.count(), std::chrono::microseconds(patience - seconds).count()};
  if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) {
    *error = errno;
    return UniqueFd();
  }
  *error = 0;
  return fd;
}

std::string SocketGroup(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "benchd";
  const group* entry = getgrgid(status.st_gid);
  return entry != nullptr ? entry->gr_name : "benchd";
}

Outcome<void> CheckPeer(int fd, uid_t own_uid) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return ConnectionError(std::string("who the daemon is: ") + std::strerror(errno));
  }
  const passwd* service = getpwnam("benchd");
  const bool trusted =
      peer.uid == 0 || peer.uid == own_uid || (service != nullptr && peer.uid == service->pw_uid);
  if (trusted) return {};
  return ConnectionError("the daemon belongs to " + UserName(peer.uid) +
                             ": only root's, benchd's and your own are trusted",
                         "stop that program, or name another socket: --socket PATH");
}

}  // namespace benchd::client
