#include "daemon/system/kernel_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "daemon/base/error.h"
#include "daemon/base/unique_fd.h"

namespace benchd {

KernelFiles::KernelFiles(std::string root) : root_(std::move(root)) {
  if (root_.empty() || root_.back() != '/') root_ += '/';
}

Result<std::string> KernelFiles::Read(std::string_view path) const {
  constexpr std::size_t kMaxBytes = 64 * 1024;
  const std::string full = root_ + std::string(path);
  UniqueFd file(open(full.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return SystemError(full, errno);
  std::string text;
  char buffer[4096];
  while (text.size() < kMaxBytes) {
    const ssize_t count = read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(full, errno);
    if (count == 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  text.erase(text.find_last_not_of(" \t\n") + 1);
  return text;
}

}  // namespace benchd
