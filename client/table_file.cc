#include "client/table_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace benchd::client {

Outcome<TableFile> TableFile::Open(const std::string& path) {
  if (path == "-") {
    if (isatty(STDIN_FILENO) == 1) {
      return UsageError("-: stdin is a terminal: there is no table to read",
                        "name a file, or write: benchctl export ID | benchctl analyze -");
    }
    UniqueFd own(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!own) return UsageError("stdin: " + std::string(std::strerror(errno)));
    return TableFile("stdin", std::move(own));
  }
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return UsageError(path + ": " + std::strerror(errno));
  return TableFile(path, std::move(fd));
}

Outcome<void> TableFile::Read(std::size_t most, std::string* chunk) {
  chunk->resize(most);
  ssize_t count = 0;
  do {
    count = read(fd_.get(), chunk->data(), chunk->size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return UsageError(name_ + ": " + std::strerror(errno));
  chunk->resize(static_cast<std::size_t>(count));
  return {};
}

}  // namespace benchd::client
