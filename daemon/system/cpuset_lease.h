#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/system/cgroup.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/setting.h"
#include "daemon/system/settings_lease.h"
#include "daemon/system/topology.h"

namespace benchd {

/// The ways to keep the benchmark CPUs free of other processes, best first. Reports name the one
/// that was taken.
enum class CpusetKind {
  kIsolated,  ///< a cpuset partition without load balancing
  kRoot,      ///< a cpuset partition with load balancing
  kMember,    ///< no partition: everything else that systemd knows of has been moved off
  kAffinity,  ///< nothing: children are pinned to the CPUs, which others may also use
};
/// Returns "isolated partition", "partition", "cpuset" or "affinity".
std::string_view CpusetKindName(CpusetKind kind);
/// The best kind to try for a profile's value ("isolated", "root", "shield"); kAffinity for any
/// other value.
CpusetKind FirstToTry(std::string_view wanted);

/// The benchmark CPUs, kept free of other processes by the best available means. A value: releasing
/// the lease that it was taken with restores the CPUs.
class Cpuset {
 public:
  /// Holds nothing.
  Cpuset() = default;

  /// Tries `wanted` ("isolated", "root" or "shield") and then each lesser kind, down to kAffinity,
  /// which is always available. Undoes attempts that fail.
  ///
  /// Divides online CPUs only. With every kind from kIsolated to kMember, our own unit's group has
  /// only the benchmark CPUs, and so has this process, unless it has moved elsewhere before. Waits
  /// at most one second for systemd to apply its units' CPUs.
  static Cpuset Take(SettingsLease& lease, const CgroupPlace& place, const ProfileCpus& cpus,
                     std::string_view wanted);

  CpusetKind kind() const { return kind_; }
  /// Empty if `wanted` was taken. Otherwise the reason why each better kind was not: "isolated
  /// partition: ...; partition: ...". Also names groups that still share the benchmark CPUs.
  const std::string& why() const { return why_; }

  /// Whether the cpuset is still as it was taken: a partition turns invalid when another group
  /// takes its CPUs.
  /// @return empty, or the present state in the kernel's words
  std::string Broken(const KernelFiles& files) const;

 private:
  /// A kernel file and its text while nothing interferes.
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

/// Keeps the CPUs out of deep sleep states. The limit lasts as long as the file is open, so the
/// kernel itself lifts it when the process ends (Documentation/power/pm_qos_interface.rst).
/// @param latency_us  the longest wake-up time that is allowed
/// @errors those of dev/cpu_dma_latency
Result<UniqueFd> LimitCStates(const KernelFiles& files, std::int32_t latency_us);

/// Moves this process out of its unit while that unit is restricted to the benchmark CPUs.
///
/// The runner is a member of the unit whose cpuset becomes the partition, but must not run on those
/// CPUs itself. So it moves to the top group, which has all the others, before the partition is
/// made, and back after the partition is removed. systemd still knows it by its pid. Children are
/// cloned into groups below the unit and never move.
class CgroupSeat {
 public:
  /// @param home  the folder of our own group, such as
  ///              "sys/fs/cgroup/bench.slice/x.service/runner"; empty: never moves
  CgroupSeat(const KernelFiles& files, std::string mount, std::string home)
      : files_(files), mount_(std::move(mount)), home_(std::move(home)) {}

  /// Moves to the top group. @errors those of its cgroup.procs.
  Result<void> StepOut();
  /// Moves home. If that fails, the process stays in the top group, where it does no harm.
  void StepBack();

 private:
  const KernelFiles& files_;
  std::string mount_;
  std::string home_;
  bool out_ = false;
};

}  // namespace benchd
