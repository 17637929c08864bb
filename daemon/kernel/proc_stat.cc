#include "daemon/kernel/proc_stat.h"

#include "daemon/kernel/kernel_files.h"

namespace benchd {

StatLine::StatLine(std::string_view line) : figures_(line), name_(NextWord(figures_)) {}

std::optional<int> StatLine::cpu() const { return CpuOf(name_); }

CpuTicks StatLine::ticks() const {
  CpuTicks ticks;
  std::string_view rest = figures_;
  for (std::optional<std::uint64_t>& column : ticks) column = ParseCount(NextWord(rest));
  return ticks;
}

std::uint64_t StatLine::forks() const {
  std::string_view rest = figures_;
  return ParseCount(NextWord(rest)).value_or(0);
}

}  // namespace benchd
