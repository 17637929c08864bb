#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// What `extract-mmtests.pl --format script` of mmtests prints: OPERATION ITERATION SAMPLE VALUE, a
/// line each; older versions leave out one of the two in the middle. Pure; any thread.
///
/// The operation is the metric's name. mmtests says neither its unit nor its direction here: a line
/// `#! prefer=higher unit=1/s` in front does, or the gate itself (`--metric NAME:higher`).
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected; a sample twice.
Result<HarnessOutput> ParseMmtests(std::string_view text);

}  // namespace benchd
