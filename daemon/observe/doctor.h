#pragma once

#include <vector>

#include "core/model/session.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/topology.h"
#include "daemon/observe/sample.h"

namespace benchd {

/// Lists the sources of noise on this machine, worst first. Sources with a measured effect come
/// first, ordered by the share of the benchmark CPUs' time that they took between the two samples.
/// The others are ordered by their usual effect (the weights in doctor.cc). Sources that the next
/// session fixes by itself come last.
///
/// Names are stable: other_load, steal, interrupts, throttling, no_settings, no_isolation,
/// shared_cpus, shared_smt, aslr_off, turbo, governor, virtual_machine, swap, c_states,
/// clocksource, competing_daemons, apt_timers, one_cpu, piled_threads. Does not change anything.
///
/// @param settings  state of the wanted settings (MachineStatus::settings). A setting that is not
///                  held and whose `why` is empty is assumed to be set when a session starts.
/// @param before, after  samples of `cpus.benchmark`, taken some time apart while no session runs;
///                one second between them is enough to show shares of one per cent
std::vector<NoiseSource> Diagnose(const KernelFiles& files, const ProfileCpus& cpus,
                                  const std::vector<SettingState>& settings,
                                  const MachineSample& before, const MachineSample& after);

}  // namespace benchd
