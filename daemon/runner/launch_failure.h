#pragma once

#include "core/base/error.h"
#include "daemon/runner/child.h"
#include "daemon/runner/launch_plan.h"

namespace benchd {

/// What a child that never became its program reported, as a sentence that names the step and the
/// file. Always kFailedPrecondition: the request was right, the machine was not as it assumed.
Error DescribeLaunchFailure(const ChildReport& report, const LaunchSpec& spec);

/// Why a child that was killed before it became its program was not there yet: it hung in `what` it
/// opened as the user (a FIFO, a dead server).
Error DescribeHungLaunch(const LaunchSpec& spec);

}  // namespace benchd
