#include "daemon/kernel/process_stat.h"

#include "core/base/cpu_list.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"

namespace benchd {

/// Fields are numbered from 1, as in the manual page. The name in parentheses can contain blanks
/// and parentheses, so only the last parenthesis ends it.
std::optional<ProcessCounters> ParseProcess(std::string_view text) {
  constexpr int kState = 3;
  constexpr int kParent = 4;
  constexpr int kGroup = 5;
  constexpr int kSession = 6;
  constexpr int kFlags = 9;
  constexpr int kUserTime = 14;
  constexpr int kSystemTime = 15;
  constexpr int kStartTime = 22;
  constexpr int kProcessor = 39;
  constexpr std::uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD, include/linux/sched.h
  constexpr std::uint64_t kBoundThread = 0x04000000;   // PF_NO_SETAFFINITY
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  ProcessCounters process;
  process.name = Printable(text.substr(open + 1, close - open - 1));
  text.remove_prefix(close + 1);
  for (int field = kState; field <= kProcessor; ++field) {
    const std::string_view word = NextWord(text);
    const auto value = ParseCount(word);
    switch (field) {
      case kState:
        process.dead = word == "Z" || word == "X";
        break;
      case kParent:
        process.parent = static_cast<pid_t>(value.value_or(0));
        break;
      case kGroup:
        process.group = static_cast<pid_t>(value.value_or(0));
        break;
      case kSession:
        process.session = static_cast<pid_t>(value.value_or(0));
        break;
      case kFlags:
        process.kernel = (value.value_or(0) & kKernelThread) != 0;
        process.bound = (value.value_or(0) & kBoundThread) != 0;
        break;
      case kUserTime:
      case kSystemTime:
        if (!value) return {};
        process.busy_ticks += *value;
        break;
      case kStartTime:
        process.started_ticks = value.value_or(0);
        break;
      case kProcessor:
        if (value && *value < kMaxCpus) process.cpu = static_cast<int>(*value);
        break;
      default:
        break;
    }
  }
  return process;
}

std::optional<ProcessCounters> ReadProcessStat(const KernelFiles& files, std::string_view process) {
  const auto text = files.Read(WithTarget(paths::kProcessStat, process));
  return text ? ParseProcess(*text) : std::nullopt;
}

}  // namespace benchd
