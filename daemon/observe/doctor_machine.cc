#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/cpu_list.h"
#include "core/model/machine_profile.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/meminfo.h"
#include "daemon/observe/doctor_checks.h"
#include "daemon/observe/sample.h"

namespace benchd::doctor {
namespace {

std::string JoinedItems(const std::vector<std::string>& items, const char* between) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : between) + item;
  return text;
}

/// A program that changes settings by itself.
struct Daemon {
  std::string_view process;  ///< the kernel's name for it, at most 15 characters
  const char* unit;
  const char* does;
};
constexpr Daemon kDaemons[] = {
    {"irqbalance", "irqbalance", "moves interrupts onto all CPUs"},
    {"tuned", "tuned", "sets governors and more"},
    {"tuned-ppd", "tuned-ppd", "sets tuned's profile when a desktop requests it"},
    {"power-profiles-", "power-profiles-daemon", "sets the energy preference and turbo"},
    {"thermald", "thermald", "lowers frequencies to limit heat"},
    {"auto-cpufreq", "auto-cpufreq", "sets governors and turbo by load"},
    {"snapd", "snapd", "downloads and installs snaps several times a day"},
};
/// Programs that change settings once and exit. They are recognised by their enabled units.
constexpr Daemon kOneShots[] = {
    {"", "cpupower", "sets the governor when the machine starts"},
    {"", "cpufrequtils", "sets the governor when the machine starts"},
    {"", "tlp", "sets governors and turbo when the power supply changes"},
};

/// Returns true if systemd starts a unit by itself: a target wants it, and it is not masked (its
/// file is empty or a link to /dev/null, which also reads as empty). Presets do not matter, because
/// they are only applied when a package is installed. Source: systemd.unit(5).
bool IsEnabled(const Patient& patient, const std::string& target, const std::string& unit) {
  if (!patient.files.Exists("run/systemd/system")) return false;  // as in sd_booted(3)
  for (const char* folder : {"etc/systemd/system/", "run/systemd/system/"}) {
    const auto text = patient.files.Read(folder + unit);
    if (text && text->empty()) return false;
  }
  for (const char* folder : {"etc/systemd/system/", "run/systemd/system/",
                             "usr/lib/systemd/system/", "lib/systemd/system/"}) {
    // Compares names only; on a real machine these are links, whose targets do not matter here.
    const std::vector<std::string> wanted = patient.files.List(folder + target + ".wants");
    if (std::find(wanted.begin(), wanted.end(), unit) != wanted.end()) return true;
  }
  return false;
}

std::string TakeTsc() { return std::string("echo tsc > /") + paths::kClocksource; }

}  // namespace

std::optional<Symptom> SharedCpus(const Patient& patient) {
  const std::vector<int> shared = CpusInBoth(patient.cpus.housekeeping, patient.cpus.benchmark);
  if (shared.empty()) return {};
  return Symptom{"benchd and all other programs also run on benchmark CPUs (" + CpusText(shared) +
                     ")" + (patient.cpus.why.empty() ? "" : ": " + patient.cpus.why),
                 {"leave a physical core out of benchmark_cpus; if you cannot spare "
                  "one, gate on cpu_time (--metric cpu_time)"}};
}

/// Finds benchmark CPUs of different types, on which the same run takes different times.
std::optional<Symptom> MixedCores(const Patient& patient) {
  const auto topology = ReadTopology(patient.files);
  if (!topology) return {};
  std::map<int, std::vector<int>> by_capacity;
  for (const PhysicalCore& core : topology->cores) {
    for (const int cpu : CpusInBoth(core.cpus, patient.cpus.used)) {
      by_capacity[core.capacity].push_back(cpu);
    }
  }
  if (by_capacity.size() < 2) return {};
  std::string types;
  for (auto type = by_capacity.rbegin(); type != by_capacity.rend(); ++type) {
    types += (types.empty() ? "" : ", ") + FormatCpuList(type->second);
  }
  return Symptom{fmt::format("the benchmark CPUs are of {} types, from fast to slow: {}; the time "
                             "of a run depends on the type of its CPU",
                             by_capacity.size(), types),
                 {fmt::format("set benchmark_cpus = \"{}\" in the machine profile",
                              FormatCpuList(by_capacity.rbegin()->second))}};
}

/// Finds a sched_ext scheduler, which replaces the kernel's scheduling policy.
std::optional<Symptom> ForeignScheduler(const Patient& patient) {
  if (patient.files.Text(paths::kSchedExtState) != "enabled") return {};
  const std::string name = Printable(patient.files.Text(paths::kSchedExtName));
  return Symptom{"a sched_ext scheduler replaces the kernel's" +
                     (name.empty() ? std::string() : " (" + name + ")") +
                     ": it decides when and on which CPU your programs run",
                 {"stop it while you measure, unless it also runs on the machines that the "
                  "program is for"}};
}

std::optional<Symptom> OneCpu(const Patient& patient) {
  if (patient.cpus.used.size() != 1) return {};
  return Symptom{"CPU " + FormatCpuList(patient.cpus.used) +
                     " is the only benchmark CPU: the threads of a program must take turns",
                 {"single-threaded programs need no action; for others add CPUs "
                  "to benchmark_cpus"}};
}

/// Finds a profile with which all threads of a program stay on one CPU, because an isolated
/// partition does not have load balancing (daemon/settings/README.md, the cpuset chain).
std::optional<Symptom> PiledThreads(const Patient& patient) {
  const SettingState* const cpuset = FindState(patient, "cpuset");
  if (patient.cpus.used.size() < 2 || cpuset == nullptr) return {};
  if (cpuset->wanted != NameOf(CpusetKind::kIsolated)) return {};
  return Symptom{"the machine profile requests an isolated partition of " +
                     CpusText(patient.cpus.used) +
                     ": all threads of a program stay on the CPU where it starts",
                 {"single-threaded programs need no action; for others set cpuset = \"root\" "
                  "(or \"auto\") in the machine profile"}};
}

std::optional<Symptom> VirtualMachine(const Patient& patient) {
  const std::string hypervisor = ReadHypervisor(patient.files);
  if (hypervisor.empty()) return {};
  return Symptom{
      "this is a virtual machine (" + Printable(hypervisor) +
          "): its host controls frequencies, sleep states and the sharing of physical cores",
      {"if that matters, use real hardware or a host with dedicated CPUs; otherwise gate on "
       "cpu_time (--metric cpu_time)"}};
}

std::optional<Symptom> Swap(const Patient& patient) {
  const MemoryInfo memory = ReadMemoryInfo(patient.files);
  const std::uint64_t total = memory.swap_total_kib.value_or(0);
  const std::uint64_t free = memory.swap_free_kib.value_or(total);
  if (free >= total) return {};
  constexpr std::uint64_t kKibibyte = 1024;
  return Symptom{BytesText((total - free) * kKibibyte) + " of " + BytesText(total * kKibibyte) +
                     " of swap space is in use: programs wait for pages from the disk",
                 {"stop the programs that need the memory, then run 'swapoff -a && swapon -a'; "
                  "swappiness = \"0\" in the machine profile keeps pages in memory"}};
}

std::optional<Symptom> Clocksource(const Patient& patient) {
  const std::string clock = Printable(patient.files.Text(paths::kClocksource));
  if (clock.empty() || clock == "tsc") return {};
  const bool has_tsc = HasWord(patient.files.Text(paths::kClocksources), "tsc");
  if (clock == "kvm-clock" || clock.starts_with("hyperv_clocksource_tsc")) {
    return Symptom{
        "the clock is " + clock + ": it is fast to read, but the host scales and corrects it",
        {has_tsc ? "no action needed; optionally " + TakeTsc()
                 : std::string("no action needed: the host does not offer a better "
                               "clock")}};
  }
  if (clock == "arch_sys_counter") {
    return Symptom{
        "the clock is arch_sys_counter: it is fast and steady, with a resolution of about "
        "10 ns",
        {"no action needed: the resolution matters only for runs of a few microseconds"}};
  }
  return Symptom{"the clock is " + clock +
                     " instead of tsc: reading it requires a system call or a slow device, also "
                     "in the measured program",
                 {has_tsc ? TakeTsc()
                          : std::string("the kernel does not trust the TSC here ('dmesg | grep "
                                        "-i tsc' shows why): update the firmware")}};
}

std::optional<Symptom> CompetingDaemons(const Patient& patient) {
  std::vector<std::string> found;
  std::vector<std::string> units;
  const auto add = [&](const Daemon& daemon, const std::string& how) {
    found.push_back(std::string(daemon.unit) + " (" + how + ") " + daemon.does);
    if (std::find(units.begin(), units.end(), daemon.unit) == units.end()) {
      units.emplace_back(daemon.unit);
    }
  };
  for (const auto& [pid, process] : patient.after.processes) {
    for (const Daemon& daemon : kDaemons) {
      if (process.kernel || process.name != daemon.process) continue;
      add(daemon, fmt::format("pid {}", pid));
    }
  }
  for (const Daemon& daemon : kOneShots) {
    if (IsEnabled(patient, "multi-user.target", daemon.unit + std::string(".service"))) {
      add(daemon, "enabled");
    }
  }
  if (found.empty()) return {};
  return Symptom{"other programs also change settings: " + JoinedItems(found, "; "),
                 {"systemctl stop " + JoinedItems(units, " ") +
                  " while you measure, or 'systemctl disable --now' to stop them permanently"}};
}

std::optional<Symptom> AptTimers(const Patient& patient) {
  std::vector<std::string> enabled;
  for (const char* timer : {"apt-daily.timer", "apt-daily-upgrade.timer", "fwupd-refresh.timer",
                            "snapd.snap-repair.timer"}) {
    if (IsEnabled(patient, "timers.target", timer)) enabled.emplace_back(timer);
  }
  if (enabled.empty()) return {};
  return Symptom{JoinedItems(enabled, " and ") + (enabled.size() == 1 ? " is" : " are") +
                     " enabled: software is downloaded and installed at random times of the day",
                 {"systemctl stop " + JoinedItems(enabled, " ") +
                  " while you measure, or 'systemctl disable --now' and update by hand"}};
}

std::optional<Symptom> AslrOff(const Patient& patient) {
  if (patient.files.Text(paths::kAddressRandomization) != "0") return {};
  return Symptom{
      "the address space is not randomised (kernel.randomize_va_space = 0): every "
      "run has the same memory layout, which may favour one arm by chance",
      {"sysctl kernel.randomize_va_space=2"}};
}

}  // namespace benchd::doctor
