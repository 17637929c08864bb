#pragma once

#include <unistd.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace benchd {

/// Owns a file descriptor and closes it. The value -1 means that it owns none.
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

// Functions that read and write whole files by descriptor.

/// Reads `fd` from its current offset to the end, but stops once it has more than `most` bytes. A
/// caller with a limit must compare the size with that limit and report the excess itself.
///
/// @param name  the name of the file in the error
/// @errors those of read(2)
Result<std::string> ReadAll(int fd, std::string_view name,
                            std::size_t most = std::numeric_limits<std::size_t>::max());

/// Reads the first `size` bytes of `fd`, whatever its current offset. Allocates only these bytes.
///
/// @errors those of pread(2), EIO if the file is shorter
Result<std::string> ReadStart(int fd, std::size_t size, std::string_view name);

/// @errors those of write(2). Part of the text may have been written.
Result<void> WriteAll(int fd, std::string_view text, std::string_view name);

/// Creates `folder` and its missing parents with mode 0700. Existing ones, of any type, are left as
/// they are.
///
/// @errors those of mkdir(2), with the path that could not be created
Result<void> MakeFolders(const std::string& folder);

/// Writes `text` to stdout. Returns the exit code of the program: 0, or 74 (EX_IOERR) after an
/// error, which is reported on stderr.
int PrintForExitCode(std::string_view text);

}  // namespace benchd
