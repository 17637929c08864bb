#pragma once

#include <vector>

#include "core/model/session.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/machine_sample.h"
#include "daemon/system/topology.h"

namespace benchd {

/// Names the sources of noise on this machine, worst first. Sources that were measured come first,
/// by the share of the benchmark CPUs' time that they took between the two samples. The others
/// follow by how much they usually matter (the weights in doctor.cc); those that the next session
/// fixes by itself come last.
///
/// Names are stable: other_load, steal, interrupts, throttling, no_settings, no_isolation,
/// shared_cpus, shared_smt, aslr_off, turbo, governor, virtual_machine, swap, c_states,
/// clocksource, competing_daemons, apt_timers, one_cpu, piled_threads. Only reads.
///
/// @param settings  state of the wanted settings (MachineStatus::settings). One that is not held
///                  and has no `why` counts as one that a session takes when it starts.
/// @param before, after  samples of `cpus.benchmark`, some time apart without a session; one second
///                is enough to show shares of one per cent
std::vector<NoiseSource> Diagnose(const KernelFiles& files, const ProfileCpus& cpus,
                                  const std::vector<SettingState>& settings,
                                  const MachineSample& before, const MachineSample& after);

}  // namespace benchd
