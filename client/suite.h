#pragma once

#include <string>
#include <vector>

#include "client/exit_code.h"
#include "client/spec_input.h"

namespace benchd::client {

/// A suite as it is run: one benchmark for each combination of the values of the parameters that
/// it uses (`NAME/size=8/mode=fast`), with `{size}` filled in wherever its commands and options
/// have it; of all these those that --only asks for. Pure; nothing is left of the options
/// parameter-list, parameter-scan and only.
///
/// A benchmark that says `{size}` nowhere is there once: to run it for each value would measure the
/// same thing several times.
///
/// @errors (exit 2) what parameters.h refuses; a parameter that is there twice or used nowhere;
///         more than kMostBenchmarks benchmarks; a pattern of --only that no benchmark matches,
///         with the nearest name.
Result<SpecInput> ExpandSuite(SpecInput input);

}  // namespace benchd::client
