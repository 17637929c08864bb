#include "daemon/system/cgroup_seat.h"

#include <sched.h>

namespace benchd {

Result<void> CgroupSeat::StepOut() {
  if (out_ || home_.empty()) return {};
  auto moved = files_.Write(mount_ + "/cgroup.procs", "0");
  out_ = moved.has_value();
  return moved;
}

void CgroupSeat::StepBack() {
  if (!out_) return;
  out_ = !files_.Write(home_ + "/cgroup.procs", "0");
}

bool StayOn(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

}  // namespace benchd
