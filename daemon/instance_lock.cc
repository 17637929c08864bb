#include "daemon/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "daemon/base/error.h"

namespace benchd {
namespace {

// The pid in the file is for people only; the lock itself is the truth.
std::string ReadPid(int fd) {
  std::array<char, 16> buffer{};
  const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), 0);
  std::string pid(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  pid.erase(pid.find_first_not_of("0123456789") == std::string::npos
                ? pid.size()
                : pid.find_first_not_of("0123456789"));
  return pid.empty() ? "unknown" : pid;
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
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return SystemError("lock file " + file.string(), errno);
    return Error{
        ErrorCode::kAlreadyExists,
        "benchd: already running (pid " + ReadPid(fd.get()) + "), " + file.string() + " is locked",
        "use that one, or give --socket and --state-dir of your own"};
  }
  WritePid(fd.get());
  return InstanceLock(std::move(fd));
}

}  // namespace benchd
