#include "daemon/system/environment.h"

#include <string>
#include <string_view>

#include "daemon/system/kernel_files.h"

namespace benchd {
namespace {

constexpr const char* kVulnerabilities = "sys/devices/system/cpu/vulnerabilities";

/// "MemTotal: 16318564 kB" in bytes; empty when there is none.
std::string InBytes(std::string_view meminfo, std::string_view key) {
  std::string_view field = Field(meminfo, key);
  const auto kibibytes = ParseCount(NextWord(field));
  return kibibytes ? std::to_string(*kibibytes * 1024) : std::string();
}

/// The whole seconds of "350735.47 234388.90".
std::string Uptime(std::string_view text) {
  const std::string_view seconds = text.substr(0, text.find_first_of(". "));
  return ParseCount(seconds) ? std::string(seconds) : std::string();
}

std::string Microcode(const KernelFiles& files, std::string_view cpuinfo) {
  const std::string_view field = Field(cpuinfo, "microcode");
  if (!field.empty()) return std::string(field);
  return files.Text("sys/devices/system/cpu/cpu0/microcode/version");
}

/// What the kernel does about a weakness, in its first words: "PTE Inversion" for
/// "Mitigation: PTE Inversion; VMX: cache flushes".
std::string_view FirstWords(std::string_view text) {
  constexpr std::string_view kMitigation = "Mitigation: ";
  text = text.substr(0, text.find_first_of(";\n"));
  if (text.starts_with(kMitigation)) text.remove_prefix(kMitigation.size());
  return text;
}

/// "meltdown=PTI; spectre_v2=Retpolines" for those the CPU has.
/// Source: Documentation/ABI/testing/sysfs-devices-system-cpu, vulnerabilities.
std::string Mitigations(const KernelFiles& files) {
  std::string text;
  bool any = false;
  for (const std::string& name : files.List(kVulnerabilities)) {
    const std::string state = files.Text(std::string(kVulnerabilities) + "/" + name);
    if (state.empty()) continue;
    any = true;
    if (state == "Not affected") continue;
    AppendItem(text, "; ", name + "=" + std::string(FirstWords(state)));
  }
  return any && text.empty() ? "not affected" : text;
}

/// "on, active": the switch, and whether some core has two threads online.
std::string Smt(const KernelFiles& files) {
  const std::string control = files.Text("sys/devices/system/cpu/smt/control");
  if (control.empty()) return {};
  const std::string active = files.Text("sys/devices/system/cpu/smt/active");
  return control + (active == "1" ? ", active" : active == "0" ? ", not active" : "");
}

/// Source: the CPUID bit that hypervisors set for their guests, "hypervisor" in /proc/cpuinfo.
std::string Hypervisor(const KernelFiles& files, std::string_view cpuinfo) {
  const std::string type = files.Text("sys/hypervisor/type");
  if (!type.empty() && type != "none") return type;
  if (!HasWord(Field(cpuinfo, "flags"), "hypervisor")) return {};
  const std::string product = files.Text("sys/class/dmi/id/product_name");
  return product.empty() ? "unknown" : product;
}

}  // namespace

Environment ReadEnvironment(const KernelFiles& files) {
  Environment environment;
  const auto add = [&environment](std::string name, std::string_view value) {
    if (!value.empty()) environment.facts.emplace_back(std::move(name), value);
  };

  add("kernel", files.Text("proc/sys/kernel/osrelease"));
  add("kernel_command_line", files.Text("proc/cmdline"));
  const std::string cpuinfo = files.Text("proc/cpuinfo");
  add("cpu", Field(cpuinfo, "model name"));
  add("cpus", files.Text("sys/devices/system/cpu/online"));
  const std::string meminfo = files.Text("proc/meminfo");
  add("memory_bytes", InBytes(meminfo, "MemTotal"));
  add("clocksource", files.Text("sys/devices/system/clocksource/clocksource0/current_clocksource"));
  const std::string load = files.Text("proc/loadavg");
  std::string_view loads = load;
  add("load", NextWord(loads));
  add("boot_id", files.Text("proc/sys/kernel/random/boot_id"));
  add("load_5m", NextWord(loads));
  add("load_15m", NextWord(loads));
  add("uptime_s", Uptime(files.Text("proc/uptime")));
  add("swap_bytes", InBytes(meminfo, "SwapTotal"));
  add("microcode", Microcode(files, cpuinfo));
  add("mitigations", Mitigations(files));
  add("smt", Smt(files));
  add("cpufreq_driver", files.Text("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"));
  add("idle_driver", files.Text("sys/devices/system/cpu/cpuidle/current_driver"));
  add("hypervisor", Hypervisor(files, cpuinfo));
  return environment;
}

std::string ReadHypervisor(const KernelFiles& files) {
  return Hypervisor(files, files.Text("proc/cpuinfo"));
}

}  // namespace benchd
