#include "daemon/system/kernel_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace benchd {

KernelFiles::KernelFiles(std::string root) : root_(std::move(root)) {
  if (root_.empty() || root_.back() != '/') root_ += '/';
}

Result<std::string> KernelFiles::Read(std::string_view path) const {
  constexpr std::size_t kMaxBytes = 1024 * 1024;
  const std::string full = FullPath(path);
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

Result<void> KernelFiles::Write(std::string_view path, std::string_view text) const {
  const std::string full = FullPath(path);
  UniqueFd file(open(full.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
  if (!file) return SystemError(full, errno);
  ssize_t count = 0;
  do {
    count = write(file.get(), text.data(), text.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return SystemError(full, errno);
  if (static_cast<std::size_t>(count) == text.size()) return {};
  return Error{ErrorCode::kInternal,
               full + ": only " + std::to_string(count) + " of " + std::to_string(text.size()) +
                   " bytes were taken",
               {}};
}

std::vector<std::string> KernelFiles::List(std::string_view path) const {
  std::vector<std::string> names;
  DIR* listing = opendir(FullPath(path).c_str());
  if (listing == nullptr) return names;
  while (const dirent* entry = readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(listing);
  std::sort(names.begin(), names.end());
  return names;
}

bool KernelFiles::Exists(std::string_view path) const {
  struct stat info {};
  return stat(FullPath(path).c_str(), &info) == 0;
}

}  // namespace benchd
