#include "daemon/kernel/process_status.h"

#include <string>

#include "daemon/kernel/kernel_paths.h"

namespace benchd {

ProcessStatus ReadProcessStatus(const KernelFiles& files, std::string_view process) {
  const std::string text = files.Text(WithTarget(paths::kProcessStatus, process));
  const auto first = [&text](std::string_view key) {
    std::string_view field = Field(text, key);
    return ParseCount(NextWord(field)).value_or(0);
  };
  return {.uid = static_cast<uid_t>(first("Uid")),
          .tracer = static_cast<pid_t>(first("TracerPid"))};
}

}  // namespace benchd
