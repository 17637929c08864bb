#pragma once

#include <sys/types.h>

#include <string_view>

#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// Facts from proc/PID/status (proc_pid_status(5)); 0 if they are missing.
struct ProcessStatus {
  /// The real user id. The owner of the folder in /proc is not reliable: it is root if the process
  /// has made itself untraceable.
  uid_t uid = 0;
  pid_t tracer = 0;
};

/// Reads the status of a process, such as "42", or of a thread, such as "42/task/43". All values
/// are 0 if it cannot be read.
ProcessStatus ReadProcessStatus(const KernelFiles& files, std::string_view process);

}  // namespace benchd
