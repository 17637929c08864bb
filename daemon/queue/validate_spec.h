#pragma once

#include "core/base/result.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Checks a submitted spec and completes what follows from it alone: Arm::argv.
///
/// Pure. What needs the machine (programs, CPUs) or the statistics (methods) is checked elsewhere.
/// @errors kInvalidArgument with the option's name first; kUnimplemented for what is declared in
/// the
///         contract and not offered yet.
Result<SessionSpec> ValidateSpec(SessionSpec spec);

}  // namespace benchd
