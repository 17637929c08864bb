#pragma once

#include <vector>

#include "core/model/session.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/machine_sample.h"
#include "daemon/system/topology.h"

namespace benchd {

/// Names what makes measurements on this machine noisy, worst first: by the share of the benchmark
/// CPUs' time that it took between the two samples where that was measured, else by how much it is
/// known to matter (the weights in doctor.cc), what the next session takes care of by itself last.
///
/// Names are stable: other_load, steal, interrupts, throttling, no_settings, no_isolation,
/// shared_cpus, shared_smt, aslr_off, turbo, governor, virtual_machine, swap, c_states,
/// clocksource, competing_daemons, apt_timers, one_cpu, piled_threads. Only reads.
///
/// @param settings  how the wanted settings stand (MachineStatus::settings). One that is not held
///                  and has no `why` counts as one that a session takes when it starts.
/// @param before, after  samples of `cpus.benchmark`, some time apart without a session: a second
///                  shows shares of a per cent
std::vector<NoiseSource> Diagnose(const KernelFiles& files, const ProfileCpus& cpus,
                                  const std::vector<SettingState>& settings,
                                  const MachineSample& before, const MachineSample& after);

}  // namespace benchd
