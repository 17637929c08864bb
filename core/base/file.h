#pragma once

#include <unistd.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace benchd {

/// Owns a file descriptor and closes it; -1 means empty.
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

// Reads and writes whole files by descriptor.

/// Reads `fd` from its current offset to the end, but stops once it has more than `most` bytes. A
/// caller with a limit compares the size with it and reports the excess itself.
///
/// @param name  of the file, for the error
/// @errors from read(2)
Result<std::string> ReadAll(int fd, std::string_view name,
                            std::size_t most = std::numeric_limits<std::size_t>::max());

/// @errors from write(2); a part may have been written.
Result<void> WriteAll(int fd, std::string_view text, std::string_view name);

/// Writes `text` to stdout. @return the exit code for the program: 0, or 74 (EX_IOERR) after
/// reporting the error on stderr.
int PrintForExitCode(std::string_view text);

}  // namespace benchd
