#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/model/machine_profile.h"
#include "core/model/session.h"
#include "daemon/system/cpuset_lease.h"
#include "daemon/system/settings_lease.h"
#include "daemon/system/settings_plan.h"

namespace benchd {

/// What it takes to take a profile. The references outlive what is taken.
struct ProfileServices {
  SettingServices settings;
  const CgroupPlace& place;
  CgroupSeat& seat;
};

/// How a profile's settings stand when nobody has taken them: what is, and what could not be had.
std::vector<SettingState> DescribeProfile(const MachineProfile& profile, const ProfileCpus& cpus,
                                          const Settings& settings, const CgroupPlace& place,
                                          const std::string& why_not);

/// A profile whose settings have been taken; given back by Release() or with the object: CPUs that
/// are offline first, the others in reverse order. Neither copied nor moved.
class HeldProfile {
 public:
  /// Takes every setting that can be had; states() tells which and why not.
  HeldProfile(ProfileServices services, const MachineProfile& profile, const ProfileCpus& cpus);
  HeldProfile(const HeldProfile&) = delete;
  HeldProfile& operator=(const HeldProfile&) = delete;
  ~HeldProfile();

  const std::string& name() const { return name_; }
  const ProfileCpus& cpus() const { return cpus_; }
  CpusetKind cpuset() const { return cpuset_.kind(); }

  /// In the order of taking, with the values as they were then.
  const std::vector<SettingState>& states() const { return states_; }
  /// The values as they are now, in the same order.
  std::vector<std::string> Present() const;
  /// Empty, or what the cpuset is now instead of what was taken.
  std::string BrokenCpuset() const { return cpuset_.Broken(lease_.settings().files()); }

  /// Gives everything back. Idempotent. @return sentences on what was left alone.
  std::vector<std::string> Release();

 private:
  void NotePinned(const MachineProfile& profile);
  void TakePlanned(const MachineProfile& profile, bool before_cpuset);
  void TakeOne(PlannedSetting planned);
  void TakeCpuset(const MachineProfile& profile);
  std::string TakeCpusetAs(const std::string& wanted);
  void TakeCStates(const MachineProfile& profile);
  void JudgeSiblings(const MachineProfile& profile);
  SettingState& Add(std::string name, std::string wanted);
  const CgroupPlace& place_;
  CgroupSeat& seat_;
  std::string name_;
  ProfileCpus cpus_;
  std::vector<SettingState> states_;
  std::vector<PlannedSetting> planned_;  // those of states_ that are kernel values
  SettingsLease pinned_;                 // the CPUs of threads, which SMT and the cpuset may undo
  SettingsLease offline_;                // SMT, which GoesBackFirst()
  SettingsLease lease_;                  // all others
  // How many settings of lease_ come before the cpuset, and before the c-states and what is after.
  std::size_t before_cpuset_ = 0;
  std::size_t before_c_states_ = 0;
  std::string why_not_noted_;  // why nothing may be taken that would undo the CPUs of threads
  std::string left_out_;       // a sentence on threads whose CPUs are not given back; empty: none
  Cpuset cpuset_;
  UniqueFd c_states_;
};

}  // namespace benchd
