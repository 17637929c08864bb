#pragma once

#include "benchd/v1/session.pb.h"
#include "client/present/gates.h"

namespace benchd::client {

// The order in which readers of a pull request look at gates. The verdicts are the daemon's.

/// Returns whether a reader has to know the gate: it did not pass, or it changed for the better.
bool IsNotable(const v1::Comparison& gate);

/// Sorts gates: regressions, undecided gates, improvements, other passes. A regression without
/// numbers, such as a missing metric, comes first. Among regressions, undecided gates and passes,
/// the largest change for the worse comes first, and among improvements the largest one. Equal
/// gates keep their order.
void SortWorstFirst(Comparisons* gates);

}  // namespace benchd::client
