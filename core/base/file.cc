#include "core/base/file.h"

#include <sys/stat.h>
#include <sysexits.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "core/base/try.h"

namespace benchd {

Result<std::string> ReadAll(int fd, std::string_view name, std::size_t most) {
  constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;
  std::string text;
  // If the size is known, the text need not grow, which takes up to twice the memory.
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    text.reserve(std::min(static_cast<std::size_t>(info.st_size), most) + kPieceBytes);
  }
  while (text.size() <= most) {
    const std::size_t before = text.size();
    text.resize(before + kPieceBytes);
    const ssize_t count = ::read(fd, text.data() + before, kPieceBytes);
    const int error = count < 0 ? errno : 0;
    text.resize(before + (count < 0 ? 0 : static_cast<std::size_t>(count)));
    if (error == EINTR) continue;
    if (error != 0) return SystemError(name, error);
    if (count == 0) break;
  }
  return text;
}

Result<std::string> ReadStart(int fd, std::size_t size, std::string_view name) {
  std::string text(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::pread(fd, text.data() + done, size - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return SystemError(name, count < 0 ? errno : EIO);
    done += static_cast<std::size_t>(count);
  }
  return text;
}

int PrintForExitCode(std::string_view text) {
  const Result<void> written = WriteAll(STDOUT_FILENO, text, "stdout: write error");
  if (written) return EX_OK;
  fprintf(stderr, "error: %s\n", written.error().message.c_str());
  return EX_IOERR;
}

Result<void> WriteAll(int fd, std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return SystemError(name, written < 0 ? errno : EIO);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> MakeFolders(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  const int error = errno;
  const std::string parent = std::filesystem::path(folder).parent_path().string();
  if (error != ENOENT || parent.empty() || parent == folder) return SystemError(folder, error);
  TRY_VOID(MakeFolders(parent));
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return SystemError(folder, errno);
}

}  // namespace benchd
