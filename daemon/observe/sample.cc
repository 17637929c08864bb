#include "daemon/observe/sample.h"

#include <nettle/hmac.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cpu_list.h"
#include "core/base/text.h"
#include "daemon/kernel/interrupts.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/meminfo.h"
#include "daemon/kernel/proc_stat.h"
#include "daemon/kernel/process_stat.h"
#include "daemon/kernel/schedstat.h"

namespace benchd {
namespace {

using Cpus = std::vector<int>;

bool IsSampled(const Cpus& cpus, std::optional<int> cpu) {
  return cpu && std::binary_search(cpus.begin(), cpus.end(), *cpu);
}

void ReadTicks(const KernelFiles& files, const Cpus& cpus, MachineSample& sample) {
  constexpr std::ptrdiff_t kFewest = kIdleTicks + 1;  // present on every kernel
  const std::string text = files.Text(paths::kStat);
  for (std::string_view rest = text; !rest.empty();) {
    const StatLine line(NextLine(rest));
    const auto cpu = line.cpu();
    if (!IsSampled(cpus, cpu)) continue;
    CpuTicks ticks = line.ticks();
    const auto missing = std::find(ticks.begin(), ticks.end(), std::nullopt);
    if (missing - ticks.begin() < kFewest) continue;
    std::fill(missing, ticks.end(), std::uint64_t{0});  // an old kernel has fewer columns
    CpuCounters& counters = sample.cpus[*cpu];
    counters.irq_ticks = *ticks[kIrqTicks] + *ticks[kSoftIrqTicks];
    counters.busy_ticks =
        *ticks[kUserTicks] + *ticks[kNiceTicks] + *ticks[kSystemTicks] + counters.irq_ticks;
    counters.steal_ticks = *ticks[kStealTicks];
    counters.total_ticks =
        counters.busy_ticks + *ticks[kIdleTicks] + *ticks[kIoWaitTicks] + counters.steal_ticks;
  }
}

void ReadWaiting(const KernelFiles& files, const Cpus& cpus, MachineSample& sample) {
  const std::string text = files.Text(paths::kSchedstat);
  std::string_view rest = text;
  const SchedstatLine version(NextLine(rest));
  if (!version.IsVersion() || !version.IsSupportedVersion()) return;
  while (!rest.empty()) {
    const SchedstatLine line(NextLine(rest));
    const auto cpu = line.cpu();
    if (!IsSampled(cpus, cpu)) continue;
    if (const auto waited_ns = line.waited_ns()) sample.cpus[*cpu].waited_ns = *waited_ns;
  }
}

/// Source: Documentation/ABI/testing/sysfs-devices-system-cpu, thermal_throttle.
void ReadThrottling(const KernelFiles& files, const Cpus& cpus, MachineSample& sample) {
  for (const int cpu : cpus) {
    const auto core = files.Count(CpuFile(cpu, paths::kCoreThrottles));
    const auto package = files.Count(CpuFile(cpu, paths::kPackageThrottles));
    if (core || package) sample.cpus[cpu].throttled = core.value_or(0) + package.value_or(0);
  }
}

void ReadFrequencies(const KernelFiles& files, const Cpus& cpus, MachineSample& sample) {
  for (const int cpu : cpus) {
    if (const auto khz = files.Count(CpuFile(cpu, paths::kFrequency))) {
      sample.cpus[cpu].frequency_khz = *khz;
    }
  }
}

/// Returns the drivers that requested an interrupt. They are the last words of a line and separated
/// by commas: "i801_smbus, eth0" in "IO-APIC 5-edge i801_smbus, eth0".
std::string_view ActionsOf(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  std::size_t blank = text.find_last_of(kBlanks);
  while (blank != std::string_view::npos) {
    const std::size_t before = text.find_last_not_of(kBlanks, blank);
    if (before == std::string_view::npos || text[before] != ',') break;
    blank = text.find_last_of(kBlanks, before);
  }
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

void ReadInterrupts(const KernelFiles& files, const Cpus& cpus, MachineSample& sample) {
  const std::string text = files.Text(paths::kInterrupts);
  std::string_view rest = text;
  const InterruptColumns columns(NextLine(rest), cpus);
  while (!rest.empty()) {
    const InterruptLine line = columns.Parse(NextLine(rest));
    std::string_view label = line.label;
    if (!label.ends_with(':')) continue;
    label.remove_suffix(1);
    const std::uint64_t sum = line.count.value_or(0);
    if (ParseCount(label)) {
      const std::string name =
          Printable(ActionsOf(line.description)) + " (IRQ " + std::string(label) + ")";
      sample.interrupts[name] += sum;
    } else {
      std::string_view what = line.description;
      what.remove_prefix(std::min(what.size(), what.find_first_not_of(" \t")));
      sample.cpu_interrupts[Printable(what.empty() ? label : what)] += sum;
    }
  }
}

void ReadProcesses(const KernelFiles& files, MachineSample& sample) {
  for (const std::string& name : files.List(paths::kProc)) {
    const auto pid = ParseCount(name);
    if (!pid || *pid > std::numeric_limits<std::int32_t>::max()) continue;
    // A process may have ended meanwhile.
    if (auto process = ReadProcessStat(files, name)) {
      sample.processes[static_cast<std::int32_t>(*pid)] = std::move(*process);
    }
  }
}

std::int64_t ReapedChildrenUs() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  constexpr std::int64_t kMillion = 1000000;
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * kMillion + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

}  // namespace

MachineSample TakeSample(const KernelFiles& files, const std::vector<int>& cpus) {
  MachineSample sample;
  sample.at_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                     std::chrono::steady_clock::now().time_since_epoch())
                     .count();
  ReadTicks(files, cpus, sample);
  ReadWaiting(files, cpus, sample);
  ReadThrottling(files, cpus, sample);
  ReadFrequencies(files, cpus, sample);
  ReadInterrupts(files, cpus, sample);
  ReadProcesses(files, sample);
  sample.own_children_us = ReapedChildrenUs();
  return sample;
}

// ---- facts about the machine ----

namespace {

std::string InBytes(std::optional<std::uint64_t> kibibytes) {
  return kibibytes ? std::to_string(*kibibytes * 1024) : std::string();
}

/// Returns the whole seconds of a text such as "350735.47 234388.90".
std::string Uptime(std::string_view text) {
  const std::string_view seconds = text.substr(0, text.find_first_of(". "));
  return ParseCount(seconds) ? std::string(seconds) : std::string();
}

std::string Microcode(const KernelFiles& files, std::string_view cpuinfo) {
  const std::string_view field = Field(cpuinfo, "microcode");
  if (!field.empty()) return std::string(field);
  return files.Text(CpuFile(0, paths::kMicrocode));
}

/// Shortens the kernel's text about a mitigation: "PTE Inversion" for "Mitigation: PTE Inversion;
/// VMX: cache flushes".
std::string_view FirstWords(std::string_view text) {
  constexpr std::string_view kMitigation = "Mitigation: ";
  text = text.substr(0, text.find_first_of(";\n"));
  if (text.starts_with(kMitigation)) text.remove_prefix(kMitigation.size());
  return text;
}

/// Lists the mitigations of the CPU's vulnerabilities: "meltdown=PTI; spectre_v2=Retpolines".
/// Source: Documentation/ABI/testing/sysfs-devices-system-cpu, vulnerabilities.
std::string Mitigations(const KernelFiles& files) {
  std::string text;
  bool any = false;
  for (const std::string& name : files.List(paths::kVulnerabilities)) {
    const std::string state = files.Text(WithTarget(paths::kVulnerability, name));
    if (state.empty()) continue;
    any = true;
    if (state == "Not affected") continue;
    AppendItem(text, "; ", name + "=" + std::string(FirstWords(state)));
  }
  return any && text.empty() ? "not affected" : text;
}

/// Returns the state of SMT, such as "on, active": the switch, and whether a core has more than one
/// online thread.
std::string Smt(const KernelFiles& files) {
  const std::string control = files.Text(paths::kSmtControl);
  if (control.empty()) return {};
  const std::string active = files.Text(paths::kSmtActive);
  return control + (active == "1" ? ", active" : active == "0" ? ", not active" : "");
}

/// Returns the processor's name on x86. On arm64, where the kernel does not report names
/// (arch/arm64/kernel/cpuinfo.c), returns the numbers that identify each type of core.
std::string Processor(std::string_view cpuinfo) {
  const std::string_view name = Field(cpuinfo, "model name");
  if (!name.empty()) return std::string(name);
  std::vector<std::string> types;
  std::string type;
  while (!cpuinfo.empty()) {
    const std::string_view line = NextLine(cpuinfo);
    for (const std::string_view key :
         {"CPU implementer", "CPU variant", "CPU part", "CPU revision"}) {
      const std::string_view value = Field(line, key);
      if (value.empty()) continue;
      AppendItem(type, ", ", std::string(key.substr(key.find(' ') + 1)) + " " + std::string(value));
    }
    if (!line.empty() && !cpuinfo.empty()) continue;
    if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end()) {
      types.push_back(type);
    }
    type.clear();
  }
  std::string text;
  for (const std::string& one : types) AppendItem(text, "; ", one);
  return text;
}

/// Returns true if the firmware belongs to a virtual machine; for processors without a hypervisor
/// flag.
/// Source: systemd's src/basic/virt.c, detect_vm_dmi_vendor() and detect_vm_device_tree().
bool IsVirtualFirmware(const KernelFiles& files) {
  if (files.Exists(paths::kHypervisorNode)) return true;
  // QEMU's node has an address: "fw-cfg@9020000".
  const std::vector<std::string> nodes = files.List(paths::kDeviceTree);
  if (std::any_of(nodes.begin(), nodes.end(),
                  [](const std::string& name) { return name.starts_with("fw-cfg"); })) {
    return true;
  }
  const std::string product = files.Text(paths::kProductName);
  if (files.Text(paths::kSystemVendor) == "Amazon EC2") return !product.ends_with(".metal");
  constexpr std::string_view kVirtual[] = {"KVM",
                                           "QEMU",
                                           "VMware",
                                           "VMW",
                                           "Xen",
                                           "Parallels",
                                           "BHYVE",
                                           "Apple Virtualization",
                                           "Google Compute Engine",
                                           "OpenStack",
                                           "KubeVirt",
                                           "VirtualBox",
                                           "innotek GmbH",
                                           "Virtual Machine"};
  for (const char* name : {paths::kProductName, paths::kSystemVendor, paths::kBiosVendor}) {
    const std::string text = files.Text(name);
    const auto is_part = [&text](std::string_view word) { return text.find(word) != text.npos; };
    if (std::any_of(std::begin(kVirtual), std::end(kVirtual), is_part)) return true;
  }
  return false;
}

/// Detects the hypervisor from the CPUID bit that hypervisors set for their guests ("hypervisor" in
/// /proc/cpuinfo), or from the firmware on processors without such flags.
std::string Hypervisor(const KernelFiles& files, std::string_view cpuinfo) {
  const std::string type = files.Text(paths::kHypervisorType);
  if (!type.empty() && type != "none") return type;
  const std::string_view flags = Field(cpuinfo, "flags");
  if (flags.empty() ? !IsVirtualFirmware(files) : !HasWord(flags, "hypervisor")) return {};
  const std::string product = files.Text(paths::kProductName);
  return product.empty() ? "unknown" : product;
}

/// Returns a name that identifies the machine across boots without revealing its machine-id.
///
/// machine-id(5) recommends a keyed hash. As in sd_id128_get_machine_app_specific(3), this is the
/// HMAC-SHA256 of an application name with the machine-id as the key, truncated to 16 bytes.
std::string MachineName(const KernelFiles& files) {
  constexpr std::string_view kOurs = "benchd machine 1";
  const std::string id = files.Text("etc/machine-id");
  constexpr std::size_t kDigits = 32;  // the file may also be empty or contain "uninitialized"
  if (id.size() != kDigits || id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return {};
  }
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, id.size(), reinterpret_cast<const std::uint8_t*>(id.data()));
  hmac_sha256_update(&context, kOurs.size(), reinterpret_cast<const std::uint8_t*>(kOurs.data()));
  std::array<std::uint8_t, 16> digest{};
  hmac_sha256_digest(&context, digest.size(), digest.data());
  return ToHex(digest);
}

}  // namespace

Environment ReadEnvironment(const KernelFiles& files) {
  Environment environment;
  const auto add = [&environment](std::string name, std::string_view value) {
    if (!value.empty()) environment.facts.emplace_back(std::move(name), value);
  };

  add("hostname", files.Text(paths::kHostname));
  add("kernel", files.Text(paths::kRelease));
  add("kernel_command_line", files.Text(paths::kCommandLine));
  const std::string cpuinfo = files.Text(paths::kCpuinfo);
  add("cpu", Processor(cpuinfo));
  add("cpus", files.Text(paths::kOnlineCpus));
  const MemoryInfo memory = ReadMemoryInfo(files);
  add("memory_bytes", InBytes(memory.total_kib));
  add("clocksource", files.Text(paths::kClocksource));
  const std::string load = files.Text(paths::kLoad);
  std::string_view loads = load;
  add("load", NextWord(loads));
  add("boot_id", files.Text(paths::kBootId));
  add("load_5m", NextWord(loads));
  add("load_15m", NextWord(loads));
  add("uptime_s", Uptime(files.Text(paths::kUptime)));
  add("swap_bytes", InBytes(memory.swap_total_kib));
  add("microcode", Microcode(files, cpuinfo));
  add("mitigations", Mitigations(files));
  add("smt", Smt(files));
  add("cpufreq_driver", files.Text(CpuFile(0, paths::kFrequencyDriver)));
  add("idle_driver", files.Text(paths::kIdleDriver));
  add("hypervisor", Hypervisor(files, cpuinfo));
  add("machine", MachineName(files));
  return environment;
}

std::string ReadHypervisor(const KernelFiles& files) {
  return Hypervisor(files, files.Text(paths::kCpuinfo));
}

}  // namespace benchd
