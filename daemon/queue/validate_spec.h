#pragma once

#include "daemon/base/result.h"
#include "daemon/model/session_spec.h"

namespace benchd {

/// Checks a submitted spec and completes what follows from it alone: Arm::argv.
///
/// Pure. What needs the machine (programs, CPUs) or the statistics (methods) is checked elsewhere.
/// @errors kInvalidArgument with the option's name first; kUnimplemented for what is declared in
/// the
///         contract and not offered yet.
Result<SessionSpec> ValidateSpec(SessionSpec spec);

}  // namespace benchd
