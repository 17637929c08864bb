#pragma once

#include <vector>

#include "core/model/session.h"
#include "core/model/session_spec.h"

// Benchmarks that only some arms of a session have in their programs.

namespace benchd {

/// Adds to a report that some arms lack a benchmark which others have: for a candidate a
/// regression, or with --allow-missing a warning; for a reference a warning. The session is then a
/// regression, unless a control changed.
///
/// @param spec  expanded
void AddUnmatched(const SessionSpec& spec, const std::vector<FoundBenchmarks>& found,
                  Report& report);

/// Returns whether AddUnmatched() adds a regression.
///
/// @param spec  expanded
bool LacksBenchmarks(const SessionSpec& spec, const std::vector<FoundBenchmarks>& found);

}  // namespace benchd
