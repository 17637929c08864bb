#pragma once

#include "daemon/model/session.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// The facts about the machine that a result depends on and a reader asks for, in the order shown:
/// kernel, kernel_command_line, cpu, cpus, memory_bytes, clocksource, load, boot_id.
///
/// A fact that cannot be read is left out. Reads files only; takes no setting.
Environment ReadEnvironment(const KernelFiles& files);

}  // namespace benchd
