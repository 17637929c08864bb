#include "daemon/settings/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/cpu_list.h"
#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"

namespace benchd {
namespace {

using Kind = SettingKind;

constexpr const char* kIrqs = "irqs";
constexpr const char* kWorkqueues = "workqueues";
constexpr const char* kSmt = "smt";
constexpr const char* kBoost = "boost";

PlannedSetting Named(std::string name, std::string wanted) {
  return {std::move(name), std::move(wanted), {}, {}, {}};
}

/// Returns the reason why nothing can be moved to the housekeeping CPUs, or an empty string.
std::string WhyNotApart(const ProfileCpus& cpus) {
  if (CpusInBoth(cpus.housekeeping, cpus.benchmark).empty() && !cpus.housekeeping.empty())
    return {};
  return "no CPU is left for housekeeping" + (cpus.why.empty() ? "" : ": " + cpus.why);
}

// ---- irqs, workqueues ----

std::vector<SettingKey> IrqKeys(const KernelFiles& files) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : files.List(paths::kIrqs)) {
    const auto number = ParseCount(name);
    if (number && files.Exists(WithTarget(paths::kIrqAffinity, name))) {
      numbers.push_back(*number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<SettingKey> keys;
  for (const std::uint64_t number : numbers) {
    keys.push_back({Kind::kIrqAffinity, std::to_string(number)});
  }
  return keys;
}

/// Plans the default affinity first, so that it already applies to interrupts that are set up
/// meanwhile. The default is required, because it applies to all future interrupts. Individual
/// interrupts are optional, because the kernel may refuse to move them (EIO).
PlannedSetting PlanIrqs(const std::string& wanted, const ProfileCpus& cpus,
                        const Settings& settings) {
  PlannedSetting planned = Named(kIrqs, wanted);
  planned.keys = IrqKeys(settings.files());
  const SettingKey by_default{Kind::kDefaultIrqAffinity, {}};
  const bool has_default = settings.files().Exists(paths::kDefaultIrqAffinity);
  planned.missing = WhyNotApart(cpus);
  if (planned.keys.empty() && !has_default) {
    planned.missing =
        "this kernel does not list interrupts below " + settings.files().FullPath(paths::kIrqs);
  }
  if (!planned.missing.empty()) return planned;
  const std::string list = FormatCpuList(cpus.housekeeping);
  if (has_default) planned.changes.push_back({by_default, list, false});
  for (const SettingKey& key : planned.keys) planned.changes.push_back({key, list, true});
  return planned;
}

PlannedSetting PlanWorkqueues(const std::string& wanted, const ProfileCpus& cpus,
                              const Settings& settings) {
  PlannedSetting planned = Named(kWorkqueues, wanted);
  planned.keys = {{Kind::kWorkqueueCpus, {}}};
  const auto present = settings.Read(planned.keys.front());
  planned.missing =
      present ? WhyNotApart(cpus) : "the kernel does not allow changes: " + present.error().message;
  if (planned.missing.empty()) {
    planned.changes = {{planned.keys.front(), FormatCpuList(cpus.housekeeping), false}};
  }
  return planned;
}

// ---- smt ----

/// Returns the CPUs that go offline without SMT: all threads except the first of each core.
std::vector<int> LaterThreads(const Topology& topology) {
  std::vector<int> threads;
  for (const PhysicalCore& core : topology.cores) {
    threads.insert(threads.end(), core.cpus.begin() + 1, core.cpus.end());
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

/// Returns the reason why SMT cannot be turned off and on again safely, or an empty string.
std::string WhyNoSmtControl(const KernelFiles& files, const Topology& topology,
                            const std::vector<int>& going, const ProfileCpus& cpus) {
  if (const std::string version1 = WhyVersion1(files, "cpuset"); !version1.empty()) {
    // hotplug_update_tasks_legacy() in kernel/cgroup/cpuset.c
    return "an offline CPU would be removed from all cpusets permanently: " + version1;
  }
  const auto control = files.Read(paths::kSmtControl);
  if (!control) return "the kernel cannot turn SMT off: " + control.error().message;
  if (*control != "on") {
    return "the kernel cannot turn SMT off here: smt/control is '" + Printable(*control) + "'";
  }
  if (const auto lost = CpusInBoth(cpus.used, going); !lost.empty()) {
    return "CPU " + FormatCpuList(lost) + ", where benchmarks run, would go offline with SMT";
  }
  const auto present = ReadCpus(files, paths::kPresentCpus);
  if (!present) return {};
  if (const auto offline = CpusWithout(*present, topology.online); !offline.empty()) {
    return "CPU " + FormatCpuList(offline) +
           " is offline, and turning SMT on again would bring it back: set it online, or use "
           "smt = \"idle\"";
  }
  return {};
}

PlannedSetting PlanSmt(const std::string& wanted, const ProfileCpus& cpus,
                       const Settings& settings) {
  PlannedSetting planned = Named(kSmt, wanted);
  if (wanted != "off") return planned;
  const auto topology = ReadTopology(settings.files());
  if (!topology) {
    planned.missing = topology.error().message;
    return planned;
  }
  const std::vector<int> going = LaterThreads(*topology);
  if (going.empty()) return planned;
  planned.missing = WhyNoSmtControl(settings.files(), *topology, going, cpus);
  planned.changes.push_back({{Kind::kSmt, {}}, "off", false});
  return planned;
}

// ---- frequencies ----

constexpr const char* kNoDriver = "no cpufreq driver (in a virtual machine the host decides)";

/// A setting that each CPU used by children has in its cpufreq folder.
struct FrequencySetting {
  Kind kind;
  /// The file that lists the driver's values, and their name in the plural for messages; nullptr
  /// for a frequency.
  const char* known_file = nullptr;
  const char* known_as = nullptr;
};

// In an order in which no setting blocks a later one. Under the governor `performance`,
// intel_pstate and amd-pstate refuse any energy preference except `performance` (EBUSY). The
// governor is therefore set after the preference and restored before it.
constexpr FrequencySetting kFrequencySettings[] = {
    {Kind::kEnergyPreference, paths::kEnergyPreferences, "energy preferences"},
    {Kind::kGovernor, paths::kGovernors, "governors"},
    {Kind::kMinFrequency},
    {Kind::kMaxFrequency},
};

Result<std::string> ReadOfCpu(const Settings& settings, const SettingKey& key,
                              const char* pattern) {
  return settings.files().Read(WithTarget(pattern, key.target));
}

bool HasDriver(const std::vector<int>& cpus, const Settings& settings) {
  return std::any_of(cpus.begin(), cpus.end(), [&settings](int cpu) {
    return settings.Read({Kind::kGovernor, std::to_string(cpu)}).has_value();
  });
}

/// Returns the reason why the driver of a CPU would refuse the value, or an empty string.
std::string WhyRefusedBy(const FrequencySetting& one, const SettingKey& key,
                         const std::string& wanted, const Settings& settings) {
  if (one.known_file != nullptr) {
    const auto known = ReadOfCpu(settings, key, one.known_file);
    if (!known || HasWord(*known, wanted)) return {};
    return "'" + Printable(wanted) + "' is not among the driver's " + one.known_as + ": " +
           Printable(*known);
  }
  const std::string least = ReadOfCpu(settings, key, paths::kLowestFrequency).value_or("");
  const std::string most = ReadOfCpu(settings, key, paths::kHighestFrequency).value_or("");
  const auto khz = ParseCount(wanted);
  const auto low = ParseCount(least);
  const auto high = ParseCount(most);
  if (!khz || !low || !high || (*khz >= *low && *khz <= *high)) return {};
  return wanted + " kHz is outside the range of CPU " + key.target + ", " + least + " to " + most +
         " kHz";
}

/// Plans the same value for every CPU. The setting is unavailable unless all CPUs have it.
PlannedSetting PlanFrequency(const FrequencySetting& one, const std::string& wanted,
                             const std::vector<int>& cpus, const Settings& settings) {
  PlannedSetting planned = Named(std::string(InfoOf(one.kind).setting->name), wanted);
  for (const int cpu : cpus) {
    const SettingKey key{one.kind, std::to_string(cpu)};
    const auto present = settings.Read(key);
    planned.keys.push_back(key);
    planned.changes.push_back({key, wanted, false});
    if (!present && planned.missing.empty()) planned.missing = present.error().message;
  }
  if (!HasDriver(cpus, settings)) planned.missing = kNoDriver;
  for (const SettingKey& key : planned.keys) {
    if (planned.missing.empty()) planned.missing = WhyRefusedBy(one, key, wanted, settings);
  }
  return planned;
}

/// Returns true if no CPU has energy preferences. The setting is then not needed, because the
/// governor alone decides.
bool HasNoPreferences(const PlannedSetting& planned, const Settings& settings) {
  if (planned.missing == kNoDriver) return false;
  return std::none_of(planned.keys.begin(), planned.keys.end(), [&settings](const auto& key) {
    return settings.files().Exists(WithTarget(paths::kEnergyPreference, key.target));
  });
}

/// Plans a change to `value` for each CPU.
void PlanForEach(PlannedSetting& planned, Kind kind, const std::vector<int>& cpus,
                 const std::string& value) {
  for (const int cpu : cpus) {
    planned.keys.push_back({kind, std::to_string(cpu)});
    planned.changes.push_back({planned.keys.back(), value, false});
  }
}

/// Returns true if each CPU has a separate switch (since Linux 6.11) that can provide the value. A
/// CPU's switch cannot turn boost on if the machine's switch turns it off. Separate switches are
/// preferred, because they do not overwrite an administrator's choice for other CPUs.
bool HaveOwnBoost(const std::string& value, const std::vector<int>& cpus,
                  const Settings& settings) {
  const auto of_machine = settings.Read({Kind::kBoost, {}});
  if (value == "1" && of_machine && *of_machine == "0") return false;
  return std::all_of(cpus.begin(), cpus.end(), [&settings](int cpu) {
    return settings.Read({Kind::kCpuBoost, std::to_string(cpu)}).has_value();
  });
}

/// Returns the frequency without boost in kHz, if the firmware reports it (ACPI CPPC, in MHz).
std::optional<std::uint64_t> NominalKhz(int cpu, const Settings& settings) {
  const auto text = settings.files().Read(CpuFile(cpu, paths::kNominalFrequency));
  const auto mhz = text ? ParseCount(*text) : std::nullopt;
  return mhz && *mhz > 0 ? std::optional(1000 * *mhz) : std::nullopt;
}

/// Limits the frequency to the nominal one, for the active mode of amd-pstate, which does not have
/// a switch before Linux 6.11.
void PlanNominalLimit(PlannedSetting& planned, const std::vector<int>& cpus,
                      const Settings& settings) {
  for (const int cpu : cpus) {
    const auto nominal = NominalKhz(cpu, settings);
    if (!nominal) {
      planned.missing =
          "the kernel does not have a switch for it (cpufreq/boost or intel_pstate/no_turbo), and "
          "the firmware does not report the frequency without boost";
      return;
    }
    PlanForEach(planned, Kind::kMaxFrequency, {cpu}, std::to_string(*nominal));
  }
}

/// Plans boost with the driver's switch; that of intel_pstate is inverted. A driver without a
/// switch means processors without boost, except for amd-pstate.
PlannedSetting PlanBoost(const std::string& wanted, const std::vector<int>& cpus,
                         const Settings& settings) {
  PlannedSetting planned = Named(kBoost, wanted);
  const bool on = wanted == "on";
  if (const std::string value = on ? "1" : "0"; HaveOwnBoost(value, cpus, settings)) {
    PlanForEach(planned, Kind::kCpuBoost, cpus, value);
    return planned;
  }
  for (const Kind kind : {Kind::kBoost, Kind::kNoTurbo}) {
    const SettingKey key{kind, {}};
    if (!settings.Read(key)) continue;
    planned.keys = {key};
    planned.changes = {{key, on == (kind == Kind::kBoost) ? "1" : "0", false}};
    return planned;
  }
  if (!HasDriver(cpus, settings)) {
    planned.missing = kNoDriver;
  } else if (on) {
    planned.missing =
        "the kernel does not have a switch for it (cpufreq/boost or intel_pstate/no_turbo)";
  } else if (settings.files()
                 .Text(CpuFile(cpus.front(), paths::kFrequencyDriver))
                 .starts_with("amd-pstate")) {
    PlanNominalLimit(planned, cpus, settings);
  }
  return planned;
}

/// Returns true if the new minimum exceeds the present maximum, which must then be changed first.
bool MaximumGoesFirst(const PlannedSetting& minimum, const Settings& settings) {
  const auto wanted = ParseCount(minimum.wanted);
  return std::any_of(minimum.keys.begin(), minimum.keys.end(), [&](const SettingKey& key) {
    const auto present = ParseCount(settings.Read({Kind::kMaxFrequency, key.target}).value_or(""));
    return wanted && present && *present < *wanted;
  });
}

/// Plans the frequency settings. Boost precedes the frequencies, because it changes their limits.
void PlanFrequencies(const MachineProfile& profile, const std::vector<int>& cpus,
                     const Settings& settings, std::vector<PlannedSetting>& plan) {
  for (const FrequencySetting& one : kFrequencySettings) {
    if (one.kind == Kind::kMinFrequency && !profile.boost.empty()) {
      plan.push_back(PlanBoost(profile.boost, cpus, settings));
    }
    const std::string& wanted = profile.*InfoOf(one.kind).setting->value;
    if (wanted.empty()) continue;
    PlannedSetting planned = PlanFrequency(one, wanted, cpus, settings);
    if (one.kind == Kind::kEnergyPreference && HasNoPreferences(planned, settings)) continue;
    const bool goes_first = one.kind == Kind::kMaxFrequency && !profile.min_frequency_khz.empty() &&
                            MaximumGoesFirst(plan.back(), settings);
    plan.insert(plan.end() - (goes_first ? 1 : 0), std::move(planned));
  }
}

// ---- the rest ----

/// Plans a setting with one file for the whole machine, which may be missing in a kernel.
PlannedSetting PlanPlain(const SettingKindInfo& one, const std::string& wanted,
                         const Settings& settings) {
  PlannedSetting planned = Named(std::string(one.setting->name), wanted);
  planned.keys = {{one.kind, {}}};
  planned.changes = {{planned.keys.front(), wanted, false}};
  const auto present = settings.Read(planned.keys.front());
  if (present) return planned;
  planned.missing = present.error().message;
  if (present.error().code == ErrorCode::kNotFound) {
    planned.missing = std::string(one.absent) + " (" + planned.missing + ")";
  }
  return planned;
}

/// Marks a setting as unavailable if one of its values is invalid, and removes the changes of an
/// unavailable setting.
void RefuseInvalid(PlannedSetting& planned) {
  for (const SettingChange& change : planned.changes) {
    if (!planned.missing.empty() || IsValidSetting(change.key, change.value)) continue;
    planned.missing =
        "'" + Printable(planned.wanted) + "' is not a valid " + DescribeSetting(change.key);
  }
  if (!planned.missing.empty()) planned.changes.clear();
}

// ---- present values ----

std::string PresentSmt(const KernelFiles& files) {
  const std::string active = files.Text(paths::kSmtActive);
  if (active.empty()) return {};
  return active == "1" ? "on" : "off";
}

bool IsWithin(const std::string& list, const std::string& outer) {
  const auto cpus = ParseCpuList(list);
  const auto others = ParseCpuList(outer);
  return cpus && others && CpusWithout(*cpus, *others).empty();
}

std::string PresentIrqs(const PlannedSetting& planned, const Settings& settings) {
  std::size_t known = 0;
  std::size_t moved = 0;
  for (const SettingChange& change : planned.changes) {
    if (change.key.kind != Kind::kIrqAffinity) continue;
    const auto list = settings.Read(change.key);
    known += list ? 1 : 0;
    moved += list && IsWithin(*list, change.value) ? 1 : 0;
  }
  if (known == 0) return {};
  if (moved == known) return planned.wanted;
  return fmt::format("{} of {} on housekeeping CPUs", moved, known);
}

/// Converts a kernel value to the terms of the profile.
std::string InWords(const PlannedSetting& planned, const SettingKey& key, std::string value) {
  if (key.kind == Kind::kBoost || key.kind == Kind::kCpuBoost) return value == "1" ? "on" : "off";
  if (key.kind == Kind::kNoTurbo) return value == "1" ? "off" : "on";
  if (planned.name == kBoost && key.kind == Kind::kMaxFrequency && !planned.changes.empty()) {
    const auto limit = ParseCount(value);
    return limit && *limit <= ParseCount(planned.changes.front().value) ? "off" : "on";
  }
  const bool is_housekeeping = key.kind == Kind::kWorkqueueCpus && !planned.changes.empty() &&
                               IsWithin(value, planned.changes.front().value);
  return is_housekeeping ? planned.wanted : std::move(value);
}

}  // namespace

std::vector<PlannedSetting> PlanSettings(const MachineProfile& profile, const ProfileCpus& cpus,
                                         const Settings& settings) {
  std::vector<PlannedSetting> plan;
  if (!profile.irqs.empty()) plan.push_back(PlanIrqs(profile.irqs, cpus, settings));
  if (!profile.workqueues.empty()) {
    plan.push_back(PlanWorkqueues(profile.workqueues, cpus, settings));
  }
  if (!profile.smt.empty()) plan.push_back(PlanSmt(profile.smt, cpus, settings));
  PlanFrequencies(profile, cpus.used, settings, plan);
  for (const SettingKindInfo& one : kSettingKinds) {
    if (one.absent.empty()) continue;
    const std::string& wanted = profile.*one.setting->value;
    if (!wanted.empty()) plan.push_back(PlanPlain(one, wanted, settings));
  }
  for (PlannedSetting& planned : plan) RefuseInvalid(planned);
  return plan;
}

std::string PresentValue(const PlannedSetting& planned, const Settings& settings) {
  if (planned.name == kSmt) return PresentSmt(settings.files());
  if (planned.name == kIrqs) return PresentIrqs(planned, settings);
  // The processors do not have boost.
  if (planned.name == kBoost && planned.keys.empty() && planned.missing.empty()) return "off";
  std::vector<std::pair<std::string, std::vector<int>>> values;
  for (const SettingKey& key : planned.keys) {
    const auto value = settings.Read(key);
    if (!value) continue;
    const std::string words = InWords(planned, key, *value);
    auto known = std::find_if(values.begin(), values.end(),
                              [&words](const auto& one) { return one.first == words; });
    if (known == values.end()) known = values.insert(known, {words, {}});
    known->second.push_back(static_cast<int>(ParseCount(key.target).value_or(0)));
  }
  if (values.size() == 1) return values.front().first;
  std::string text;
  for (const auto& [words, cpus] : values) {
    text += (text.empty() ? "" : ", ") + words + (cpus.size() > 1 ? " (CPUs " : " (CPU ") +
            FormatCpuList(cpus) + ")";
  }
  return text;
}

}  // namespace benchd
