#include "daemon/system/environment.h"

#include <charconv>
#include <string>
#include <string_view>

namespace benchd {
namespace {

/// The value of the first line "KEY : VALUE"; empty when there is none.
std::string_view Field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (line.substr(key.size(), colon - key.size()).find_first_not_of(" \t") !=
        std::string_view::npos) {
      continue;
    }
    line.remove_prefix(colon + 1);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    return line;
  }
  return {};
}

/// "MemTotal: 16318564 kB" in bytes.
std::string MemoryBytes(std::string_view meminfo) {
  const std::string_view field = Field(meminfo, "MemTotal");
  unsigned long long kibibytes = 0;
  const auto parsed = std::from_chars(field.data(), field.data() + field.size(), kibibytes);
  return parsed.ec == std::errc() ? std::to_string(kibibytes * 1024) : std::string();
}

}  // namespace

Environment ReadEnvironment(const KernelFiles& files) {
  Environment environment;
  const auto add = [&environment](std::string name, std::string_view value) {
    if (!value.empty()) environment.facts.emplace_back(std::move(name), value);
  };
  const auto read = [&files](std::string_view path) { return files.Read(path).value_or(""); };

  add("kernel", read("proc/sys/kernel/osrelease"));
  add("kernel_command_line", read("proc/cmdline"));
  const std::string cpuinfo = read("proc/cpuinfo");
  add("cpu", Field(cpuinfo, "model name"));
  add("cpus", read("sys/devices/system/cpu/online"));
  add("memory_bytes", MemoryBytes(read("proc/meminfo")));
  add("clocksource", read("sys/devices/system/clocksource/clocksource0/current_clocksource"));
  const std::string load = read("proc/loadavg");
  add("load", std::string_view(load).substr(0, load.find(' ')));
  add("boot_id", read("proc/sys/kernel/random/boot_id"));
  return environment;
}

}  // namespace benchd
