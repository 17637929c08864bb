#pragma once

#include <string>

#include "core/base/result.h"
#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// How often a session calls equal programs a regression, and how often it finds a slower one, if
/// each session has an effect of its own (a build, a placement in memory, a state of the machine)
/// that multiplies one arm: without --confirm, with --confirm if the effect is drawn anew for the
/// second phase, and with --confirm if it persists through both.
///
/// @errors those of Level::Make()
Result<std::string> ConfirmationReport(const Options& options, Format format);

}  // namespace benchd::validity
