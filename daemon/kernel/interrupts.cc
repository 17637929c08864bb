#include "daemon/kernel/interrupts.h"

#include <algorithm>

#include "daemon/kernel/kernel_files.h"

namespace benchd {

InterruptColumns::InterruptColumns(std::string_view header, const std::vector<int>& cpus) {
  for (auto word = NextWord(header); !word.empty(); word = NextWord(header)) {
    const auto cpu = CpuOf(word);
    is_counted_.push_back(cpu && std::binary_search(cpus.begin(), cpus.end(), *cpu));
  }
}

InterruptLine InterruptColumns::Parse(std::string_view line) const {
  InterruptLine parsed;
  parsed.label = NextWord(line);
  for (const bool counted : is_counted_) {
    std::string_view after = line;
    const auto count = ParseCount(NextWord(after));
    if (!count) break;
    line = after;
    if (counted) parsed.count = parsed.count.value_or(0) + *count;
  }
  parsed.description = line;
  return parsed;
}

}  // namespace benchd
