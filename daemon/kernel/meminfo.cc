#include "daemon/kernel/meminfo.h"

#include <string>
#include <string_view>

#include "daemon/kernel/kernel_paths.h"

namespace benchd {

MemoryInfo ReadMemoryInfo(const KernelFiles& files) {
  const std::string text = files.Text(paths::kMeminfo);
  const auto size = [&text](std::string_view key) {
    std::string_view field = Field(text, key);  // "16318564 kB"
    return ParseCount(NextWord(field));
  };
  return {.total_kib = size("MemTotal"),
          .swap_total_kib = size("SwapTotal"),
          .swap_free_kib = size("SwapFree")};
}

}  // namespace benchd
