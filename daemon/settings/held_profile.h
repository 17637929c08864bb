#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/model/machine_profile.h"
#include "core/model/session.h"
#include "daemon/settings/cpuset.h"
#include "daemon/settings/lease.h"
#include "daemon/settings/plan.h"

namespace benchd {

/// The dependencies of a HeldProfile. The referenced objects must outlive it.
struct ProfileServices {
  SettingServices settings;
  const CgroupPlace& place;
  CgroupSeat& seat;
};

/// Returns the state of a profile's settings while they are not held: the present value of each
/// setting, and the reason if it is unavailable.
std::vector<SettingState> DescribeProfile(const MachineProfile& profile, const ProfileCpus& cpus,
                                          const Settings& settings, const CgroupPlace& place,
                                          const std::string& why_not);

/// A profile whose settings have been applied. Release() or the destructor restores them: first
/// SMT, which brings CPUs back online, then the other settings in reverse order. Neither copyable
/// nor movable.
class HeldProfile {
 public:
  /// Applies every available setting. states() lists all settings, with a reason for each that is
  /// not held.
  HeldProfile(ProfileServices services, const MachineProfile& profile, const ProfileCpus& cpus);
  HeldProfile(const HeldProfile&) = delete;
  HeldProfile& operator=(const HeldProfile&) = delete;
  ~HeldProfile();

  const std::string& name() const { return name_; }
  const ProfileCpus& cpus() const { return cpus_; }
  CpusetKind cpuset() const { return cpuset_.kind(); }

  /// Returns the settings in the order in which they were applied, with the values right after
  /// that.
  const std::vector<SettingState>& states() const { return states_; }
  /// Returns the present values, in the same order.
  std::vector<std::string> Present() const;
  /// Returns the present state of the cpuset if another program has changed it; otherwise empty.
  std::string BrokenCpuset() const { return cpuset_.Broken(lease_.settings().files()); }

  /// Restores everything. Idempotent. @return sentences about settings that were not restored
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
  std::vector<PlannedSetting> planned_;  // the settings in states_ that are kernel values
  SettingsLease pinned_;                 // CPU masks of threads, which SMT and the cpuset may reset
  SettingsLease offline_;                // SMT, which is restored first (GoesBackFirst())
  SettingsLease lease_;                  // all other settings
  std::size_t before_cpuset_ = 0;        // size of lease_ before the cpuset was taken
  std::size_t before_c_states_ = 0;      // size of lease_ before the c-states were limited
  // The reason why the CPU masks of threads could not be noted; settings that reset them are then
  // not applied.
  std::string why_not_noted_;
  std::string left_out_;  // a sentence about threads whose CPUs will not be restored, or empty
  Cpuset cpuset_;
  UniqueFd c_states_;
};

}  // namespace benchd
