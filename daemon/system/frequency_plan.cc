#include "daemon/system/frequency_plan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "daemon/system/kernel_text.h"

namespace benchd {
namespace {

using Kind = SettingKind;

constexpr const char* kNoDriver = "no cpufreq driver (in a virtual machine the host decides)";

std::string CpufreqFile(const SettingKey& key, std::string_view name) {
  return "sys/devices/system/cpu/cpu" + key.target + "/cpufreq/" + std::string(name);
}

bool HasDriver(const std::vector<int>& cpus, const Settings& settings) {
  return std::any_of(cpus.begin(), cpus.end(), [&settings](int cpu) {
    return settings.Read({Kind::kGovernor, std::to_string(cpu)}).has_value();
  });
}

/// The same value for every CPU, where all have such a setting.
PlannedSetting ForEachCpu(const char* name, Kind kind, const std::string& wanted,
                          const std::vector<int>& cpus, const Settings& settings) {
  PlannedSetting planned;
  planned.name = name;
  planned.wanted = wanted;
  for (const int cpu : cpus) {
    const SettingKey key{kind, std::to_string(cpu)};
    const auto present = settings.Read(key);
    planned.keys.push_back(key);
    planned.changes.push_back({key, wanted, false});
    if (present || !planned.missing.empty()) continue;
    planned.missing = present.error().message;
  }
  if (!HasDriver(cpus, settings)) planned.missing = kNoDriver;
  return planned;
}

/// Names the words that a driver knows if the wanted one is not among them.
void CheckAmong(const char* file, const char* what, const KernelFiles& files,
                PlannedSetting& planned) {
  for (const SettingKey& key : planned.keys) {
    const auto known = files.Read(CpufreqFile(key, file));
    if (!planned.missing.empty() || !known || HasWord(*known, planned.wanted)) continue;
    planned.missing = "'" + Printable(planned.wanted) + "' is not among the " + what +
                      " that this driver has: " + Printable(*known);
  }
}

PlannedSetting PlanGovernor(const std::string& wanted, const std::vector<int>& cpus,
                            const Settings& settings) {
  PlannedSetting planned = ForEachCpu("governor", Kind::kGovernor, wanted, cpus, settings);
  CheckAmong("scaling_available_governors", "governors", settings.files(), planned);
  return planned;
}

/// Empty where the driver has no such thing: then the governor alone decides, and nothing is
/// missed.
std::optional<PlannedSetting> PlanEnergyPreference(const std::string& wanted,
                                                   const std::vector<int>& cpus,
                                                   const Settings& settings) {
  PlannedSetting planned =
      ForEachCpu("energy_preference", Kind::kEnergyPreference, wanted, cpus, settings);
  const bool has_none =
      std::none_of(planned.keys.begin(), planned.keys.end(), [&settings](const SettingKey& key) {
        return settings.files().Exists(CpufreqFile(key, "energy_performance_preference"));
      });
  if (has_none && planned.missing != kNoDriver) return {};
  CheckAmong("energy_performance_available_preferences", "energy preferences", settings.files(),
             planned);
  return planned;
}

void CheckLimits(const KernelFiles& files, PlannedSetting& planned) {
  const auto wanted = ParseCount(planned.wanted);
  for (const SettingKey& key : planned.keys) {
    const std::string least = files.Read(CpufreqFile(key, "cpuinfo_min_freq")).value_or("");
    const std::string most = files.Read(CpufreqFile(key, "cpuinfo_max_freq")).value_or("");
    const auto low = ParseCount(least);
    const auto high = ParseCount(most);
    if (!wanted || !low || !high || !planned.missing.empty()) continue;
    if (*wanted >= *low && *wanted <= *high) continue;
    planned.missing = planned.wanted + " kHz is outside what CPU " + key.target +
                      " can do: " + least + " to " + most + " kHz";
  }
}

/// Whether the new lower limit lies above a present upper one, which then has to make way first.
bool MaximumGoesFirst(const PlannedSetting& minimum, const std::vector<int>& cpus,
                      const Settings& settings) {
  const auto wanted = ParseCount(minimum.wanted);
  return std::any_of(cpus.begin(), cpus.end(), [&](int cpu) {
    const auto text = settings.Read({Kind::kMaxFrequency, std::to_string(cpu)});
    const auto present = text ? ParseCount(*text) : std::nullopt;
    return wanted && present && *present < *wanted;
  });
}

/// By the driver's own switch; intel_pstate's says the opposite.
PlannedSetting PlanBoost(const std::string& wanted, const std::vector<int>& cpus,
                         const Settings& settings) {
  PlannedSetting planned;
  planned.name = "boost";
  planned.wanted = wanted;
  const bool on = wanted == "on";
  for (const Kind kind : {Kind::kBoost, Kind::kNoTurbo}) {
    const SettingKey key{kind, {}};
    if (!settings.Read(key)) continue;
    planned.keys = {key};
    planned.changes = {{key, on == (kind == Kind::kBoost) ? "1" : "0", false}};
    return planned;
  }
  planned.missing = HasDriver(cpus, settings)
                        ? "no switch for it (neither cpufreq/boost nor intel_pstate/no_turbo)"
                        : kNoDriver;
  return planned;
}

}  // namespace

std::vector<PlannedSetting> PlanFrequencies(const MachineProfile& profile,
                                            const std::vector<int>& cpus,
                                            const Settings& settings) {
  std::vector<PlannedSetting> plan;
  if (!profile.energy_preference.empty()) {
    auto preference = PlanEnergyPreference(profile.energy_preference, cpus, settings);
    if (preference) plan.push_back(std::move(*preference));
  }
  if (!profile.governor.empty()) plan.push_back(PlanGovernor(profile.governor, cpus, settings));
  if (!profile.boost.empty()) plan.push_back(PlanBoost(profile.boost, cpus, settings));
  const std::size_t limits = plan.size();
  const auto add_limit = [&](const char* name, Kind kind, const std::string& wanted) {
    if (wanted.empty()) return;
    plan.push_back(ForEachCpu(name, kind, wanted, cpus, settings));
    CheckLimits(settings.files(), plan.back());
  };
  add_limit("min_frequency_khz", Kind::kMinFrequency, profile.min_frequency_khz);
  add_limit("max_frequency_khz", Kind::kMaxFrequency, profile.max_frequency_khz);
  if (plan.size() == limits + 2 && MaximumGoesFirst(plan[limits], cpus, settings)) {
    std::swap(plan[limits], plan[limits + 1]);
  }
  return plan;
}

}  // namespace benchd
