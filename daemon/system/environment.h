#pragma once

#include <string>

#include "core/model/session.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// The facts about the machine that a result depends on and a reader asks for, in the order shown:
/// kernel, kernel_command_line, cpu, cpus, memory_bytes, clocksource, load (of the last minute),
/// boot_id, load_5m, load_15m, uptime_s, swap_bytes, microcode, mitigations, smt, cpufreq_driver,
/// idle_driver, hypervisor.
///
/// A fact that cannot be read is left out. Reads files only; takes no setting.
Environment ReadEnvironment(const KernelFiles& files);

/// What the machine is a guest of ("KVM", "xen"; "unknown" where it is one and does not say whose);
/// empty on real hardware, and where it cannot be told (only x86 tells).
std::string ReadHypervisor(const KernelFiles& files);

}  // namespace benchd
