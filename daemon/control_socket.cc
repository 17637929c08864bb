#include "daemon/control_socket.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace benchd {
namespace {

constexpr const char* kDefaultGroup = "benchd";

sockaddr_un AddressOf(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return address;
}

Result<UniqueFd> Adopt(int count) {
  UniqueFd fd(SD_LISTEN_FDS_START);
  if (count != 1 || ::sd_is_socket_unix(fd.get(), SOCK_STREAM, 1, nullptr, 0) <= 0) {
    return InvalidArgument("socket activation",
                           "systemd passed something else than one listening "
                           "Unix stream socket",
                           "see ListenStream= in benchd.socket");
  }
  return fd;
}

Result<void> RemoveStale(const std::filesystem::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return SystemError("socket " + path.string(), errno);
  }
  if (!S_ISSOCK(info.st_mode)) {
    return Error{ErrorCode::kAlreadyExists,
                 "socket " + path.string() + ": exists and is not a socket",
                 "remove it, or give another --socket"};
  }
  if (SomebodyListens(path)) {
    return Error{ErrorCode::kAlreadyExists,
                 "socket " + path.string() + ": another process listens there",
                 "stop it, or give another --socket"};
  }
  if (::unlink(path.c_str()) != 0) return SystemError("socket " + path.string(), errno);
  return {};
}

Result<void> GiveToGroup(const ControlSocketOptions& options) {
  if (!options.system_mode) return {};
  const std::string name = options.group.empty() ? kDefaultGroup : options.group;
  const std::optional<std::uint32_t> gid = GroupId(name);
  if (!gid) {
    // A machine without the default group lets the daemon's own group in.
    if (options.group.empty()) return {};
    return Error{ErrorCode::kNotFound, "[socket] group: no such group '" + name + "'",
                 "groupadd --system " + name};
  }
  if (::chown(options.path.c_str(), static_cast<uid_t>(-1), *gid) == 0) return {};
  return SystemError("giving " + options.path.string() + " to the group '" + name + "'", errno);
}

Result<UniqueFd> Bind(const ControlSocketOptions& options) {
  if (Result<void> ok = RemoveStale(options.path); !ok) return std::move(ok).error();
  const std::string what = "socket " + options.path.string();
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return SystemError(what, errno);
  const sockaddr_un address = AddressOf(options.path);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return SystemError(what, errno);
  }
  // Nobody can connect before listen(): the mode and the group are in place by then.
  if (::chmod(options.path.c_str(), options.system_mode ? 0660 : 0600) != 0) {
    return SystemError(what, errno);
  }
  if (Result<void> ok = GiveToGroup(options); !ok) return std::move(ok).error();
  if (::listen(fd.get(), SOMAXCONN) != 0) return SystemError(what, errno);
  return fd;
}

}  // namespace

Result<ControlSocket> ControlSocket::Open(const ControlSocketOptions& options) {
  const int passed = ::sd_listen_fds(1);
  const bool adopted = passed > 0;
  Result<UniqueFd> fd = adopted ? Adopt(passed) : Bind(options);
  if (!fd) return std::move(fd).error();
  return ControlSocket(std::move(fd).value(), adopted, options.path);
}

ControlSocket::~ControlSocket() {
  // A moved-from object has no path any more.
  std::error_code ignored;
  if (!adopted_ && !path_.empty()) std::filesystem::remove(path_, ignored);
}

bool SomebodyListens(const std::filesystem::path& path) {
  if (path.native().size() >= sizeof(sockaddr_un::sun_path)) return false;
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = AddressOf(path);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return true;
  }
  // EAGAIN: its queue of connections is full.
  return errno == EACCES || errno == EAGAIN;
}

std::optional<std::uint32_t> GroupId(const std::string& name) {
  std::vector<char> buffer(4096);
  group entry{};
  group* found = nullptr;
  // A group of thousands needs more room than anybody can say beforehand.
  while (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  if (found == nullptr) return std::nullopt;
  return found->gr_gid;
}

}  // namespace benchd
