#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/model/comparison.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The evidence of one gate for the decision of all gates together.
struct GateEvidence {
  /// The always-valid one-sided p-values of the two statements that the gate can make: that the
  /// change is above the margin (a regression), and that it is below (a pass). 1 if the gate makes
  /// no statement by a p-value.
  double p_regression = 1;
  double p_pass = 1;
  /// The decision so far, if it was made by an interval or a p-value; else kUndecided.
  Verdict decided = Verdict::kUndecided;
};

/// The levels of the two lists, each for all gates of the session.
struct FamilyLevels {
  double regressions = 0;
  double passes = 0;
};

/// Decides the gates of a session together. Returns the new decision of each gate, in order;
/// kUndecided for a gate that remains open, and for one that is already decided.
///
/// The regressions are one list and the passes another, each with its own level:
///   - family: Holm's step-down (S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70). With
///     r gates of G in the list, the next one enters it at level / (G - r). The probability that
///     any gate is wrongly in the list, at any time, is at most the level.
///   - fdr: Benjamini and Yekutieli's step-up (Annals of Statistics 29 (2001) 1165-1188). The
///     expected share of wrong gates in the list, whenever the session stops, is at most the level.
///
/// Both hold however the gates depend on each other (docs/statistics.md section 6). A list never
/// loses a gate, because p-values never rise. A gate that both lists would take at once goes to the
/// list of regressions.
///
/// @param family  all gates of the session, G of them
std::vector<Verdict> DecideFamily(std::span<const GateEvidence> family, ErrorRate rate,
                                  const FamilyLevels& levels);

/// Returns the divisor of the level of a single gate's interval: a gate whose interval at
/// level / divisor excludes the margin is in the list, whatever the other gates show. It is G for
/// kFamily, and G (1 + 1/2 + ... + 1/G) for kFdr.
double ShareDivisor(ErrorRate rate, std::size_t gates);

}  // namespace benchd
