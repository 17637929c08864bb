#include "daemon/settings/held_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/affinity.h"
#include "daemon/settings/pinned_threads.h"

namespace benchd {
namespace {

constexpr const char* kCpuset = "cpuset";
constexpr const char* kCStates = "c_states";
constexpr const char* kSmtSetting = "smt";
constexpr const char* kUnlimited = "not limited by benchd";

/// Returns true for settings that change the set of CPUs or their users, and must therefore precede
/// the cpuset.
bool ComesBeforeCpuset(const PlannedSetting& planned) {
  return planned.name == "irqs" || planned.name == "workqueues" || planned.name == kSmtSetting;
}

std::string Join(const std::vector<std::string>& sentences) {
  std::string joined;
  for (const std::string& sentence : sentences) joined += (joined.empty() ? "" : "; ") + sentence;
  return joined;
}

/// Describes all refused changes in one sentence, because the kernel may refuse to move dozens of
/// interrupts.
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
  if (!irqs.empty()) others.insert(others.begin(), "the kernel refuses to move IRQ " + irqs);
  return Join(others);
}

/// Chooses the cpuset for "auto". With several CPUs, the partition needs load balancing, because
/// otherwise all threads of a program stay on the CPU where they started.
std::string ChooseCpuset(const MachineProfile& profile, const ProfileCpus& cpus) {
  if (profile.cpuset != "auto") return profile.cpuset;
  return cpus.used.size() > 1 ? "root" : "isolated";
}

/// Returns the wanted cpuset by the NameOf() its kind, so that it can be compared with the actual
/// one; "shield" is returned unchanged.
std::string WantedCpuset(const std::string& wanted) {
  const CpusetKind kind = FirstToTry(wanted);
  return kind < CpusetKind::kMember ? std::string(NameOf(kind)) : wanted;
}

std::string Latency(std::int32_t latency_us) { return fmt::format("{} us", latency_us); }

bool SiblingsAreUnused(const ProfileCpus& cpus) { return cpus.used.size() < cpus.benchmark.size(); }

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
                      .why = missing.empty() ? why_not : missing});
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
    add(kCpuset, WantedCpuset(ChooseCpuset(profile, cpus)),
        std::string(NameOf(CpusetKind::kAffinity)),
        why_not.empty() ? place.version1 : std::string());
  }
  if (profile.c_state_latency_us) {
    add(kCStates, Latency(*profile.c_state_latency_us), kUnlimited, {});
  }
  add_planned(false);
  return states;
}

HeldProfile::HeldProfile(ProfileServices services, const MachineProfile& profile,
                         const ProfileCpus& cpus)
    : place_(services.place),
      seat_(services.seat),
      name_(profile.name),
      cpus_(cpus),
      pinned_(services.settings),
      offline_(services.settings),
      lease_(std::move(services.settings)) {
  NotePinned(profile);
  TakePlanned(profile, true);
  TakeCpuset(profile);
  before_c_states_ = lease_.size();
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

/// Notes the CPUs of pinned threads. Called before SMT is turned off, while all CPUs are online.
void HeldProfile::NotePinned(const MachineProfile& profile) {
  if (profile.cpuset.empty() && profile.smt != "off") return;
  const PinnedThreads pinned = FindPinnedThreads(pinned_.settings().files());
  if (pinned.left_out > 0) {
    left_out_ = fmt::format(
        "the CPUs of {} pinned threads (of uid {} and perhaps others) were not recorded, because "
        "there are too many: before Linux 6.2, these threads lose their pinning",
        pinned.left_out, pinned.user);
  }
  auto noted = pinned_.Note(pinned.entries);
  if (!noted) why_not_noted_ = noted.error().message;
}

/// Applies the settings before or after the cpuset. Plans again each time, because the settings
/// before the cpuset may take CPUs offline.
void HeldProfile::TakePlanned(const MachineProfile& profile, bool before_cpuset) {
  for (PlannedSetting& planned : PlanSettings(profile, cpus_, lease_.settings())) {
    if (ComesBeforeCpuset(planned) == before_cpuset) TakeOne(std::move(planned));
  }
}

void HeldProfile::TakeOne(PlannedSetting planned) {
  SettingState& state = Add(planned.name, planned.wanted);
  const bool is_smt = planned.name == kSmtSetting;
  state.why = planned.missing;
  if (is_smt && state.why.empty() && !planned.changes.empty()) state.why = why_not_noted_;
  if (state.why.empty()) {
    const auto refused = (is_smt ? offline_ : lease_).Take(planned.changes);
    state.held = refused.has_value();
    state.why = refused ? DescribeRefused(*refused) : refused.error().message;
  }
  state.actual = PresentValue(planned, lease_.settings());
  planned_.push_back(std::move(planned));
}

void HeldProfile::TakeCpuset(const MachineProfile& profile) {
  before_cpuset_ = lease_.size();
  if (profile.cpuset.empty()) return;
  const std::string wanted = ChooseCpuset(profile, cpus_);
  SettingState& state = Add(kCpuset, WantedCpuset(wanted));
  state.why = TakeCpusetAs(wanted);
  if (cpuset_.kind() == CpusetKind::kAffinity) {
    seat_.StepBack();
    lease_.Release(before_cpuset_);
    // If SMT was not changed either, the CPU masks of threads are intact.
    if (offline_.size() == 0) pinned_.Release();
    if (offline_.size() == 0) left_out_.clear();
  }
  state.actual = NameOf(cpuset_.kind());
  state.held = state.why.empty() && cpuset_.kind() != CpusetKind::kAffinity;
  static_cast<void>(SetAffinity(0, cpus_.housekeeping));
}

/// Takes the cpuset. @return the reason why less than `wanted` was taken, or an empty string
std::string HeldProfile::TakeCpusetAs(const std::string& wanted) {
  if (!why_not_noted_.empty()) return why_not_noted_;
  if (auto out = seat_.StepOut(); !out) {
    return "benchd-runner cannot leave its control group: " + out.error().message;
  }
  cpuset_ = Cpuset::Take(lease_, place_, cpus_, wanted);
  return cpuset_.why();
}

void HeldProfile::TakeCStates(const MachineProfile& profile) {
  if (!profile.c_state_latency_us) return;
  const std::int32_t latency_us = *profile.c_state_latency_us;
  SettingState& state = Add(kCStates, Latency(latency_us));
  auto limit = LimitCStates(lease_.settings().files(), latency_us);
  state.held = limit.has_value();
  state.actual = limit ? state.wanted : kUnlimited;
  if (!limit) state.why = limit.error().message;
  if (limit) c_states_ = std::move(*limit);
}

/// Marks smt "idle" as not held if other processes may run on the unused siblings.
void HeldProfile::JudgeSiblings(const MachineProfile& profile) {
  if (profile.smt != "idle" || !SiblingsAreUnused(cpus_)) return;
  if (cpuset_.kind() != CpusetKind::kAffinity) return;
  for (SettingState& state : states_) {
    if (state.setting != kSmtSetting) continue;
    state.held = false;
    state.why = "benchd leaves the siblings idle, but without a cpuset other programs may use them";
  }
}

std::vector<std::string> HeldProfile::Present() const {
  std::vector<std::string> values;
  for (const SettingState& state : states_) {
    const auto planned =
        std::find_if(planned_.begin(), planned_.end(),
                     [&state](const PlannedSetting& one) { return one.name == state.setting; });
    if (planned != planned_.end()) {
      values.push_back(PresentValue(*planned, lease_.settings()));
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
  const auto give_back = [&notes](SettingsLease& lease, std::size_t kept) {
    for (std::string& note : lease.Release(kept)) notes.push_back(std::move(note));
  };
  if (!left_out_.empty()) notes.push_back(std::exchange(left_out_, {}));
  give_back(offline_, 0);
  give_back(lease_, before_c_states_);
  c_states_.Reset();
  give_back(lease_, before_cpuset_);
  cpuset_ = {};
  seat_.StepBack();
  give_back(lease_, 0);
  give_back(pinned_, 0);
  static_cast<void>(SetAffinity(0, cpus_.housekeeping));
  return notes;
}

}  // namespace benchd
