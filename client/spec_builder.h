#pragma once

#include "benchd/v1/session.pb.h"
#include "client/exit_code.h"
#include "client/spec_input.h"

namespace benchd::client {

/// Options and commands to the message that is submitted.
///
/// Fields that were not given stay absent, so that the daemon's defaults hold. Paths are made
/// absolute here, because the daemon has another working directory; files are opened by nobody
/// before the run, which does it as the caller. Pure.
///
/// @errors (exit 2) every value that its grammar does not take; --confidence with --alpha; no or
/// equal
///         names; no reference or no candidate; an empty, too long or unsendable command; equal
///         benchmarks; a benchmark's margin where it cannot be told which metrics it belongs to.
Result<v1::SessionSpec> BuildSpec(const SpecInput& input, const CallerContext& caller);

/// The options of `analyze` to a spec: no arms, which the table has, and one
/// benchmark with the gates if there are any. Pure.
///
/// @errors (exit 2) as BuildSpec's for these options.
Result<v1::SessionSpec> BuildTableSpec(const OptionValues& options);

}  // namespace benchd::client
