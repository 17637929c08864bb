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

/// The dependencies of a HeldProfile. The references must outlive it.
struct ProfileServices {
  SettingServices settings;
  const CgroupPlace& place;
  CgroupSeat& seat;
};

/// The state of a profile's settings while they are not held: the present values, and why a setting
/// would be unavailable.
std::vector<SettingState> DescribeProfile(const MachineProfile& profile, const ProfileCpus& cpus,
                                          const Settings& settings, const CgroupPlace& place,
                                          const std::string& why_not);

/// A profile whose settings have been taken. Release() or the destructor restores them: first the
/// CPUs that are offline, then the others in reverse order. Neither copied nor moved.
class HeldProfile {
 public:
  /// Takes every setting that is available; states() lists them, with reasons for those that are
  /// not held.
  HeldProfile(ProfileServices services, const MachineProfile& profile, const ProfileCpus& cpus);
  HeldProfile(const HeldProfile&) = delete;
  HeldProfile& operator=(const HeldProfile&) = delete;
  ~HeldProfile();

  const std::string& name() const { return name_; }
  const ProfileCpus& cpus() const { return cpus_; }
  CpusetKind cpuset() const { return cpuset_.kind(); }

  /// In the order of taking, with the values at that time.
  const std::vector<SettingState>& states() const { return states_; }
  /// The present values, in the same order.
  std::vector<std::string> Present() const;
  /// Empty, or the present state of a cpuset that is no longer as it was taken.
  std::string BrokenCpuset() const { return cpuset_.Broken(lease_.settings().files()); }

  /// Restores everything. Idempotent. @return sentences about settings that were left as they are
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
  SettingsLease pinned_;                 // CPU masks of threads, which SMT and the cpuset may reset
  SettingsLease offline_;                // SMT, which GoesBackFirst()
  SettingsLease lease_;                  // all others
  // Number of settings of lease_ before the cpuset, and before the c-states and those that follow
  // them.
  std::size_t before_cpuset_ = 0;
  std::size_t before_c_states_ = 0;
  std::string why_not_noted_;  // reason to take nothing that would reset CPU masks of threads
  std::string left_out_;       // a sentence about threads whose CPUs will not be restored, or empty
  Cpuset cpuset_;
  UniqueFd c_states_;
};

}  // namespace benchd
