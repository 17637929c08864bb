#pragma once

#include "core/base/result.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Checks the spec of a session whose runs are sampled (SessionSpec::profile), and sets what
/// follows from the sampling: cpu_time is the only gate, no arm retires, no limit ends the session
/// early, no benchmark is a control, and each benchmark of a program runs alone. Does nothing for
/// other sessions.
///
/// Call it before the rest of the spec is checked.
/// @errors kInvalidArgument, which names the field: the session lacks `runs`, or asks for something
///         that sampled runs cannot decide
Result<void> CompleteSampled(SessionSpec& spec);

/// Leaves the output of sampled runs unparsed, although the harness has a format. Does nothing for
/// other sessions. Call it after the harness is known.
void LeaveUnparsed(const SessionSpec& spec, Benchmark& benchmark);

}  // namespace benchd
