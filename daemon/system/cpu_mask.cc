#include "daemon/system/cpu_mask.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/base/cpu_list.h"
#include "core/base/error.h"
#include "daemon/system/kernel_text.h"

namespace benchd {
namespace {

constexpr int kGroupBits = 32;
constexpr std::size_t kGroupDigits = 8;

Error NoMask(std::string_view group) {
  return InvalidArgument("CPU mask", "'" + Printable(group) + "' is no group of 32 CPUs");
}

}  // namespace

Result<std::vector<int>> ParseCpuMask(std::string_view text) {
  std::vector<int> cpus;
  int first = 0;  // CPU of the group's lowest bit
  for (;;) {
    const std::size_t comma = text.rfind(',');
    const std::string_view group = comma == std::string_view::npos ? text : text.substr(comma + 1);
    std::uint32_t bits = 0;
    const char* end = group.data() + group.size();
    const auto parsed = std::from_chars(group.data(), end, bits, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end || group.size() > kGroupDigits) {
      return NoMask(group.substr(0, 40));
    }
    // The kernel prints as many groups as it was built for: those above may be there, but empty.
    if (first >= kMaxCpus && bits != 0) {
      return InvalidArgument("CPU mask", "it has CPUs over " + std::to_string(kMaxCpus - 1));
    }
    for (int bit = 0; bit < kGroupBits; ++bit) {
      if ((bits >> bit & 1) != 0) cpus.push_back(first + bit);
    }
    if (comma == std::string_view::npos) break;
    text = text.substr(0, comma);
    first = std::min(first + kGroupBits, kMaxCpus);
  }
  return cpus;
}

std::string FormatCpuMask(const std::vector<int>& cpus) {
  const int groups = cpus.empty() ? 1 : cpus.back() / kGroupBits + 1;
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(groups));
  for (int cpu : cpus) {
    bits[static_cast<std::size_t>(cpu / kGroupBits)] |= std::uint32_t{1} << (cpu % kGroupBits);
  }
  std::string text;
  for (std::size_t i = bits.size(); i-- > 0;) {
    char digits[kGroupDigits];
    const auto end = std::to_chars(digits, digits + sizeof(digits), bits[i], 16).ptr;
    const auto count = static_cast<std::size_t>(end - digits);
    if (!text.empty()) text.append(",").append(kGroupDigits - count, '0');
    text.append(digits, count);
  }
  return text;
}

}  // namespace benchd
