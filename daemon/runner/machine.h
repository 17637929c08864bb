#pragma once

#include "daemon/base/result.h"
#include "daemon/model/session.h"
#include "daemon/runner/host.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// The machine as a session gets it: its facts, its CPUs, and which wishes are not met and why.
///
/// `benchmark_cpus` of the answer is where children are to be pinned; empty means nowhere in
/// particular (isolation off, without a list). No setting of the machine is changed yet.
/// @errors kInvalidArgument for an unknown profile, or CPUs outside the benchmark CPUs;
///         kFailedPrecondition with strict isolation, naming the setting that cannot be had.
Result<MachineReport> DescribeMachine(const Host& host, const wire::AcquireMachine& wish);

}  // namespace benchd
