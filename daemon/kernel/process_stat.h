#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// The CPU time of a process with all its threads, the last CPU of its first thread, and its place
/// among the other processes.
struct ProcessCounters {
  std::string name;  ///< at most 15 printable characters: /proc/PID/comm
  std::uint64_t busy_ticks = 0;
  std::uint64_t started_ticks = 0;  ///< since boot; distinguishes processes that reuse a pid
  int cpu = -1;
  bool kernel = false;  ///< a kernel thread
  bool bound = false;   ///< a kernel thread whose CPU affinity cannot be changed
  bool dead = false;    ///< a zombie; of a process, its first thread
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
};

/// Parses the text of proc/PID/stat (proc_pid_stat(5)); empty if it is malformed.
std::optional<ProcessCounters> ParseProcess(std::string_view text);

/// Reads proc/PID/stat of a process, such as "42" or "self", or of a thread, such as "42/task/43";
/// empty if it has ended.
std::optional<ProcessCounters> ReadProcessStat(const KernelFiles& files, std::string_view process);

}  // namespace benchd
