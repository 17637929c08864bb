#include "daemon/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/result.h"

namespace benchd {
namespace {

// How long a child of a daemon that was killed may hold the lock: it inherits it for the moment
// between its birth and its execve.
constexpr std::chrono::seconds kTimeout{2};
constexpr std::chrono::milliseconds kBetweenTries{2};

// The pid in the file is for people to read; only the lock itself counts.
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

// @return 0 or the error.
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
  const std::string pid = std::to_string(::getpid()) + "\n";
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
        "benchd: already running (pid " + ReadPid(fd.get()) + "), " + file.string() + " is locked",
        "use that one, or give another --socket and --state-dir"};
  }
  WritePid(fd.get());
  return InstanceLock(std::move(fd));
}

}  // namespace benchd
