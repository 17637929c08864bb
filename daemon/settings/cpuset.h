#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/model/machine_profile.h"
#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/topology.h"
#include "daemon/settings/lease.h"
#include "daemon/settings/setting.h"

namespace benchd {

/// Returns the best kind to try for a profile's value ("isolated", "root", "shield"); kAffinity for
/// any other value.
CpusetKind FirstToTry(std::string_view wanted);

/// The benchmark CPUs, kept free of other processes by the best available kind. A value type: the
/// CPUs are restored when the lease passed to Take() is released.
class Cpuset {
 public:
  /// An empty object of kind kAffinity.
  Cpuset() = default;

  /// Tries `wanted` ("isolated", "root" or "shield") and then each lesser kind, down to kAffinity,
  /// which is always available. Undoes attempts that fail.
  ///
  /// Divides online CPUs only. With every kind except kAffinity, our unit's group is restricted to
  /// the benchmark CPUs, and with it this process, unless it has left the group (CgroupSeat). Waits
  /// at most one second for systemd to apply its units' CPUs.
  static Cpuset Take(SettingsLease& lease, const CgroupPlace& place, const ProfileCpus& cpus,
                     std::string_view wanted);

  CpusetKind kind() const { return kind_; }
  /// Returns the reason for each kind that failed: "isolated partition: ...; partition: ...". Also
  /// names groups that still share the benchmark CPUs. Empty if `wanted` was taken completely.
  const std::string& why() const { return why_; }

  /// Checks that the cpuset is unchanged. A partition becomes invalid when another group takes its
  /// CPUs.
  /// @return empty if it is unchanged, otherwise its present state in the kernel's words
  std::string Broken(const KernelFiles& files) const;

 private:
  /// A kernel file and its text as long as the cpuset is valid.
  struct Expected {
    std::string path;
    std::string text;
  };
  struct Wish;

  Result<void> Try(const Wish& wish, CpusetKind kind);
  Result<void> TakePartition(const Wish& wish, std::string_view type);
  Result<void> TakeMember(const Wish& wish);
  Result<void> Expect(const Wish& wish, std::string path, std::string text);

  CpusetKind kind_ = CpusetKind::kAffinity;
  std::string why_;
  std::vector<Expected> expected_;
};

/// Keeps all CPUs out of deep sleep states. The limit applies while the returned file is open, so
/// the kernel removes it when the process ends (Documentation/power/pm_qos_interface.rst).
/// @param latency_us  the longest permitted wake-up time
/// @errors those of dev/cpu_dma_latency
Result<UniqueFd> LimitCStates(const KernelFiles& files, std::int32_t latency_us);

/// Moves this process out of its unit while the unit is restricted to the benchmark CPUs.
///
/// The runner belongs to the unit whose cpuset becomes the partition, but must not run on the
/// benchmark CPUs itself. It therefore moves to the root group, which keeps all other CPUs, before
/// the partition is created, and back after the partition is removed. systemd still identifies the
/// runner by its pid. Children are cloned into groups below the unit and never move.
class CgroupSeat {
 public:
  /// @param home  the folder of our group, such as "sys/fs/cgroup/bench.slice/x.service/runner";
  ///              empty: the process never moves
  CgroupSeat(const KernelFiles& files, std::string mount, std::string home)
      : files_(files), mount_(std::move(mount)), home_(std::move(home)) {}

  /// Moves to the root group. @errors those of its cgroup.procs.
  Result<void> StepOut();
  /// Moves back. If that fails, the process stays in the root group, which is harmless.
  void StepBack();

 private:
  const KernelFiles& files_;
  std::string mount_;
  std::string home_;
  bool out_ = false;
};

}  // namespace benchd
