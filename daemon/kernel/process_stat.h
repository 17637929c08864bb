#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benchd {

/// The CPU time of a process with all its threads, and the last CPU of its first thread.
struct ProcessCounters {
  std::string name;  ///< at most 15 printable characters: /proc/PID/comm
  std::uint64_t busy_ticks = 0;
  std::uint64_t started_ticks = 0;  ///< since boot; distinguishes processes that reuse a pid
  int cpu = -1;
  bool kernel = false;  ///< a kernel thread
  bool bound = false;   ///< a kernel thread whose CPU affinity cannot be changed
};

/// Parses the text of proc/PID/stat (proc_pid_stat(5)); empty if it is malformed.
std::optional<ProcessCounters> ParseProcess(std::string_view text);

}  // namespace benchd
