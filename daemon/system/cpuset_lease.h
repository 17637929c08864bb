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

/// How the benchmark CPUs are kept free of others, best first. Each is reported as what it is.
enum class CpusetKind {
  kIsolated,  ///< a cpuset partition without load balancing
  kRoot,      ///< a cpuset partition with load balancing
  kMember,    ///< no partition: everything else has been moved off, as far as systemd knows it
  kAffinity,  ///< nothing: children are put onto the CPUs, others may come
};
/// "isolated partition", "partition", "cpuset", "affinity".
std::string_view CpusetKindName(CpusetKind kind);
/// The best kind that a profile's word ("isolated", "root", "shield") lets us try; kAffinity when
/// it is none of these.
CpusetKind FirstToTry(std::string_view wanted);

/// The benchmark CPUs, kept free of others by the best means that can be had. A value: the lease
/// that it was taken with gives it back.
class Cpuset {
 public:
  /// Nothing is taken.
  Cpuset() = default;

  /// Tries `wanted` ("isolated", "root", "shield": the best to try) and what comes after it, down
  /// to kAffinity, which always can be had. What was tried and failed is undone.
  ///
  /// Only online CPUs are divided. Between kIsolated and kMember the group of the own unit has the
  /// benchmark CPUs alone, and so has this process, unless it has moved elsewhere before. Waits for
  /// systemd to put its units' CPUs into effect, for a second at most.
  static Cpuset Take(SettingsLease& lease, const CgroupPlace& place, const ProfileCpus& cpus,
                     std::string_view wanted);

  CpusetKind kind() const { return kind_; }
  /// Empty when it is what was wanted, else why not, with the better ones' reasons: "isolated
  /// partition: ...; partition: ...". Names the groups that share the benchmark CPUs nevertheless.
  const std::string& why() const { return why_; }

  /// Whether it still is what it was: a partition turns invalid when somebody takes its CPUs.
  /// @return empty, or what it is now, in the kernel's words.
  std::string Broken(const KernelFiles& files) const;

 private:
  /// A file of the kernel's as it reads while nobody interferes.
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

/// Keeps the CPUs out of deep sleep states: a limit that holds as long as the file is open, so that
/// the kernel itself gives it back (Documentation/power/pm_qos_interface.rst).
/// @param latency_us  the longest time to wake up that is allowed.
/// @errors those of dev/cpu_dma_latency.
Result<UniqueFd> LimitCStates(const KernelFiles& files, std::int32_t latency_us);

/// Where this process sits while the unit it belongs to is kept to the benchmark CPUs.
///
/// The runner is a member of the unit whose cpuset becomes the partition, and must not be on those
/// CPUs itself. So it moves to the top group, which has all the others, before the partition is
/// made, and back when it is gone. systemd goes on knowing it by its pid. Children are cloned into
/// groups below the unit and never follow.
class CgroupSeat {
 public:
  /// @param home  the folder of the own group, such as
  /// "sys/fs/cgroup/bench.slice/x.service/runner";
  ///              empty: never moves.
  CgroupSeat(const KernelFiles& files, std::string mount, std::string home)
      : files_(files), mount_(std::move(mount)), home_(std::move(home)) {}

  /// Moves to the top group. @errors those of its cgroup.procs.
  Result<void> StepOut();
  /// Moves home. A failure leaves it outside, where it does no harm.
  void StepBack();

 private:
  const KernelFiles& files_;
  std::string mount_;
  std::string home_;
  bool out_ = false;
};

}  // namespace benchd
