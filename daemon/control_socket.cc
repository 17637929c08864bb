#include "daemon/control_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/base/user_database.h"
#include "daemon/service_manager.h"

namespace benchd {
namespace {

// The longest time for which a child of a killed daemon holds the lock, from fork to execve.
constexpr std::chrono::seconds kTimeout{2};
constexpr std::chrono::milliseconds kBetweenTries{2};

// Reads the pid from the lock file. It is only information for users; the lock itself decides.
std::string ReadPid(int fd) {
  std::array<char, 16> buffer{};
  const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), 0);
  std::string pid(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  pid.erase(pid.find_first_not_of("0123456789") == std::string::npos
                ? pid.size()
                : pid.find_first_not_of("0123456789"));
  return pid.empty() ? "unknown" : pid;
}

bool HolderIsGone(int fd) {
  const std::string pid = ReadPid(fd);
  pid_t number = 0;
  const auto [end, wrong] = std::from_chars(pid.data(), pid.data() + pid.size(), number);
  return wrong == std::errc{} && number > 0 && ::kill(number, 0) != 0 && errno == ESRCH;
}

// @return 0 or the errno value
int Lock(int fd) {
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    const bool worth_waiting = error == EWOULDBLOCK && HolderIsGone(fd);
    if (!worth_waiting || std::chrono::steady_clock::now() > deadline) return error;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return 0;
}

void WritePid(int fd) {
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(fd, pid.data(), pid.size(), 0);
}

}  // namespace

Result<InstanceLock> InstanceLock::Take(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return SystemError("lock file " + file.string(), errno);
  if (const int error = Lock(fd.get()); error != 0) {
    if (error != EWOULDBLOCK) return SystemError("lock file " + file.string(), error);
    return Error{
        ErrorCode::kAlreadyExists,
        "benchd: already running (pid " + ReadPid(fd.get()) + "): " + file.string() + " is locked",
        "use that daemon, or give another --socket and --state-dir"};
  }
  WritePid(fd.get());
  return InstanceLock(std::move(fd));
}

namespace {

constexpr const char* kDefaultGroup = "benchd";

sockaddr_un AddressOf(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return address;
}

/// Returns a numeric option of a socket; -1 if `fd` is not a socket.
int SocketOption(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof(value);
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool IsListeningUnixStream(int fd) {
  return SocketOption(fd, SO_DOMAIN) == AF_UNIX && SocketOption(fd, SO_TYPE) == SOCK_STREAM &&
         SocketOption(fd, SO_ACCEPTCONN) == 1;
}

Result<UniqueFd> Adopt(int count) {
  UniqueFd fd(kFirstPassedFd);
  if (count != 1 || !IsListeningUnixStream(fd.get())) {
    return InvalidArgument("socket activation",
                           "systemd passed something other than one listening "
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
  const std::optional<GroupEntry> group = FindGroup(name);
  if (!group) {
    // Without the default group, the socket keeps the daemon's own group.
    if (options.group.empty()) return {};
    return Error{ErrorCode::kNotFound, "[socket] group: no such group '" + name + "'",
                 "groupadd --system " + name};
  }
  if (::chown(options.path.c_str(), static_cast<uid_t>(-1), group->gid) == 0) return {};
  return SystemError("changing the group of " + options.path.string() + " to '" + name + "'",
                     errno);
}

Result<UniqueFd> Bind(const ControlSocketOptions& options) {
  TRY_VOID(RemoveStale(options.path));
  const std::string what = "socket " + options.path.string();
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return SystemError(what, errno);
  const sockaddr_un address = AddressOf(options.path);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return SystemError(what, errno);
  }
  // Set the mode and the group before listen(), because no client can connect until then.
  if (::chmod(options.path.c_str(), options.system_mode ? 0660 : 0600) != 0) {
    return SystemError(what, errno);
  }
  TRY_VOID(GiveToGroup(options));
  if (::listen(fd.get(), SOMAXCONN) != 0) return SystemError(what, errno);
  return fd;
}

}  // namespace

Result<ControlSocket> ControlSocket::Open(const ControlSocketOptions& options) {
  const int passed = PassedSockets();
  TakePassedSockets();
  const bool adopted = passed > 0;
  TRY(UniqueFd fd, adopted ? Adopt(passed) : Bind(options));
  return ControlSocket(std::move(fd), adopted, options.path);
}

ControlSocket::~ControlSocket() {
  // A moved-from object has no path.
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
  // EAGAIN means that the daemon's queue of connections is full.
  return errno == EACCES || errno == EAGAIN;
}

}  // namespace benchd
