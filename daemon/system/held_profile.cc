#include "daemon/system/held_profile.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/system/pinned_threads.h"

namespace benchd {
namespace {

constexpr const char* kCpuset = "cpuset";
constexpr const char* kCStates = "c_states";
constexpr const char* kSmtSetting = "smt";

/// These change which CPUs there are, or who may use them: before the cpuset that divides them.
bool ComesBeforeCpuset(const PlannedSetting& planned) {
  return planned.name == "irqs" || planned.name == "workqueues" || planned.name == kSmtSetting;
}

std::string Join(const std::vector<std::string>& sentences) {
  std::string joined;
  for (const std::string& sentence : sentences) joined += (joined.empty() ? "" : "; ") + sentence;
  return joined;
}

/// One sentence for all: a machine has dozens of interrupts that the kernel itself places.
std::string DescribeRefused(const std::vector<RefusedChange>& refused) {
  if (refused.empty()) return {};
  std::string irqs;
  std::vector<std::string> others;
  for (const RefusedChange& one : refused) {
    if (one.key.kind == SettingKind::kIrqAffinity) {
      irqs += (irqs.empty() ? "" : ", ") + one.key.target;
    } else {
      others.push_back(one.error.message);
    }
  }
  if (!irqs.empty()) others.insert(others.begin(), "the kernel keeps these to itself: IRQ " + irqs);
  return Join(others);
}

std::string WantedCpuset(const MachineProfile& profile) {
  if (profile.cpuset == "isolated") return std::string(CpusetKindName(CpusetKind::kIsolated));
  if (profile.cpuset == "root") return std::string(CpusetKindName(CpusetKind::kRoot));
  return profile.cpuset;
}

std::string Latency(std::int32_t latency_us) { return std::to_string(latency_us) + " us"; }

bool SiblingsAreUnused(const ProfileCpus& cpus) { return cpus.used.size() < cpus.benchmark.size(); }

void Append(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void ReleaseAll(std::vector<SettingsLease>& leases, std::vector<std::string>& notes) {
  for (auto lease = leases.rbegin(); lease != leases.rend(); ++lease) {
    Append(notes, lease->Release());
  }
  leases.clear();
}

}  // namespace

std::vector<SettingState> DescribeProfile(const MachineProfile& profile, const ProfileCpus& cpus,
                                          const Settings& settings, const CgroupPlace& place,
                                          const std::string& why_not) {
  std::vector<SettingState> states;
  const auto add = [&](std::string name, std::string wanted, std::string actual,
                       const std::string& missing) {
    states.push_back({.setting = std::move(name),
                      .wanted = std::move(wanted),
                      .actual = std::move(actual),
                      .held = false,
                      .why = missing.empty() ? why_not : missing,
                      .at_end = {}});
  };
  const std::vector<PlannedSetting> plan = PlanSettings(profile, cpus, settings);
  const auto add_planned = [&](bool before_cpuset) {
    for (const PlannedSetting& planned : plan) {
      if (ComesBeforeCpuset(planned) != before_cpuset) continue;
      add(planned.name, planned.wanted, PresentValue(planned, settings), planned.missing);
    }
  };
  add_planned(true);
  if (!profile.cpuset.empty()) {
    add(kCpuset, WantedCpuset(profile), std::string(CpusetKindName(CpusetKind::kAffinity)),
        why_not.empty() ? place.version1 : std::string());
  }
  if (profile.c_state_latency_us) {
    add(kCStates, Latency(*profile.c_state_latency_us), "not limited by benchd", {});
  }
  add_planned(false);
  return states;
}

HeldProfile::HeldProfile(ProfileServices services, const MachineProfile& profile,
                         const ProfileCpus& cpus)
    : services_(std::move(services)), name_(profile.name), cpus_(cpus) {
  TakePlanned(profile, true);
  TakeCpuset(profile);
  TakeCStates(profile);
  TakePlanned(profile, false);
  JudgeSiblings(profile);
}

HeldProfile::~HeldProfile() { Release(); }

SettingState& HeldProfile::Add(std::string name, std::string wanted) {
  SettingState& state = states_.emplace_back();
  state.setting = std::move(name);
  state.wanted = std::move(wanted);
  return state;
}

/// Planned anew for each half: the first one may take CPUs offline.
void HeldProfile::TakePlanned(const MachineProfile& profile, bool before_cpuset) {
  for (PlannedSetting& planned : PlanSettings(profile, cpus_, services_.settings.settings)) {
    if (ComesBeforeCpuset(planned) == before_cpuset) TakeOne(std::move(planned));
  }
}

void HeldProfile::TakeOne(PlannedSetting planned) {
  SettingState& state = Add(planned.name, planned.wanted);
  state.why = planned.missing;
  if (planned.missing.empty()) {
    auto lease = SettingsLease::Take(services_.settings, planned.changes);
    state.held = lease.has_value();
    state.why = lease ? DescribeRefused(lease->refused()) : lease.error().message;
    if (lease) (ComesBeforeCpuset(planned) ? early_ : late_).push_back(std::move(*lease));
  }
  state.actual = PresentValue(planned, services_.settings.settings);
  planned_.push_back(std::move(planned));
}

void HeldProfile::TakeCpuset(const MachineProfile& profile) {
  if (profile.cpuset.empty()) return;
  SettingState& state = Add(kCpuset, WantedCpuset(profile));
  state.why = TakeCpusetAs(profile.cpuset);
  if (cpuset_.kind() == CpusetKind::kAffinity) {
    services_.seat.StepBack();
    pinned_.Release();
  }
  state.actual = CpusetKindName(cpuset_.kind());
  state.held = state.why.empty() && cpuset_.kind() != CpusetKind::kAffinity;
  StayOn(cpus_.housekeeping);
}

/// @return why it is less than what is wanted.
std::string HeldProfile::TakeCpusetAs(const std::string& wanted) {
  const KernelFiles& files = services_.settings.settings.files();
  auto noted = SettingsLease::Note(services_.settings, FindPinnedThreads(files));
  if (!noted) return noted.error().message;
  pinned_ = std::move(*noted);
  if (auto out = services_.seat.StepOut(); !out) {
    return "benchd-runner cannot leave its group: " + out.error().message;
  }
  cpuset_ = CpusetLease::Take(services_.settings, services_.place, cpus_, wanted);
  return cpuset_.why();
}

void HeldProfile::TakeCStates(const MachineProfile& profile) {
  if (!profile.c_state_latency_us) return;
  const std::int32_t latency_us = *profile.c_state_latency_us;
  SettingState& state = Add(kCStates, Latency(latency_us));
  auto lease = CStateLease::Take(services_.settings.settings.files(), latency_us);
  state.held = lease.has_value();
  state.actual = lease ? state.wanted : "not limited by benchd";
  if (!lease) state.why = lease.error().message;
  if (lease) c_states_ = std::move(*lease);
}

/// Unused siblings are idle only where nobody else may run on them.
void HeldProfile::JudgeSiblings(const MachineProfile& profile) {
  if (profile.smt != "idle" || !SiblingsAreUnused(cpus_)) return;
  if (cpuset_.kind() != CpusetKind::kAffinity) return;
  for (SettingState& state : states_) {
    if (state.setting != kSmtSetting) continue;
    state.held = false;
    state.why = "benchmarks leave the siblings free, but without a cpuset others may use them";
  }
}

std::vector<std::string> HeldProfile::Present() const {
  std::vector<std::string> values;
  for (const SettingState& state : states_) {
    const auto planned =
        std::find_if(planned_.begin(), planned_.end(),
                     [&state](const PlannedSetting& one) { return one.name == state.setting; });
    if (planned != planned_.end()) {
      values.push_back(PresentValue(*planned, services_.settings.settings));
    } else if (const std::string broken = BrokenCpuset();
               state.setting == kCpuset && !broken.empty()) {
      values.push_back(broken);
    } else {
      values.push_back(state.actual);
    }
  }
  return values;
}

std::vector<std::string> HeldProfile::Release() {
  std::vector<std::string> notes;
  ReleaseAll(late_, notes);
  c_states_.reset();
  Append(notes, cpuset_.Release());
  services_.seat.StepBack();
  Append(notes, pinned_.Release());
  StayOn(cpus_.housekeeping);
  ReleaseAll(early_, notes);
  return notes;
}

}  // namespace benchd
