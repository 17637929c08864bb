#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/cpuset_lease.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

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

/// Puts this process onto these CPUs; again after a move, as the kernel widens or narrows the mask
/// of who changes its cpuset. @return false when none of them can be had.
bool StayOn(const std::vector<int>& cpus);

}  // namespace benchd
