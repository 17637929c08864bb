#include "daemon/runner/log.h"

#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace benchd {

void Log(LogLevel level, std::string_view text) {
  std::string line;
  if (getenv("JOURNAL_STREAM") != nullptr) {
    line = {'<', static_cast<char>(level), '>'};
  } else {
    line = "benchd-runner: ";
  }
  line.append(text).push_back('\n');
  // One write, so that lines of several processes do not mix. Nobody to tell when it fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace benchd
