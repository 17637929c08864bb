#pragma once

#include <unistd.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace benchd {

/// Owns one file descriptor and closes it; -1 is empty.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) Reset(other.Release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

// Whole files through a descriptor; the only system calls of core/, which is else free of them.

/// The rest of what `fd` has, from where it stands. Stops once there are more than `most` bytes:
/// who has a limit compares the size with it, and says in its own words what is too large.
///
/// @param name  of the file, for the error
/// @errors the system's
Result<std::string> ReadAll(int fd, std::string_view name,
                            std::size_t most = std::numeric_limits<std::size_t>::max());

/// @errors the system's; then a part may have been written.
Result<void> WriteAll(int fd, std::string_view text, std::string_view name);

/// Writes what a program has to say before it is done, to stdout. @return its exit code: 0, or 74
/// (EX_IOERR) with a line on stderr that says why.
int PrintForExitCode(std::string_view text);

}  // namespace benchd
