#include "core/model/machine_profile.h"

namespace benchd {

MachineProfile StrictProfile() {
  MachineProfile profile;
  profile.name = "strict";
  profile.smt = "off";
  profile.c_state_latency_us = 0;
  profile.transparent_hugepages = "madvise";
  profile.swappiness = "0";
  profile.perf_sample_rate = "1";
  profile.numa_local = true;
  return profile;
}

}  // namespace benchd
