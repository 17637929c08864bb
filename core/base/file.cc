#include "core/base/file.h"

#include <sysexits.h>

#include <cerrno>
#include <cstdio>

namespace benchd {

Result<std::string> ReadAll(int fd, std::string_view name, std::size_t most) {
  constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;
  std::string text;
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

}  // namespace benchd
