#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"

namespace benchd::client {

// The words for verdicts. A gate with a negative margin asks whether the candidate is better by
// that much. If the interval excludes it, JSON and the exit code have the verdict `regression`, and
// people read "not 5 % better", because the candidate need not be worse than the reference.

/// Returns whether the gate regressed only because the candidate is not better by its negative
/// margin. A regression for a reason, such as a missing metric, is not of this kind.
bool IsNotBetter(const v1::Comparison& gate);

/// Returns whether the gate has a negative margin, so that it requires an improvement.
bool RequiresImprovement(const v1::Comparison& gate);

/// Formats the improvement that a negative margin requires: "5 % better", "5 ms better".
std::string RequiredWords(const v1::Comparison& gate, const Style& style);
/// Formats the improvement that was required of the gates that are not better. Returns "better by
/// the margin" if their margins differ.
std::string RequiredWords(const v1::Update& update, const Style& style);

/// Returns the state of a control: "unchanged", "changed" or "open". Empty for everything else, and
/// for a control that regressed for a reason that is not the machine's, such as a missing metric.
std::string ControlWord(const v1::Comparison& comparison);

/// Returns the verdict of a gate, or of a session, in lower case: "pass", "regression", "undecided"
/// or "not 5 % better"; of a control, "control unchanged". A session is "not 5 % better" if all
/// gates that regressed are.
std::string VerdictWords(const v1::Comparison& gate, const Style& style);
std::string VerdictWords(const v1::Update& update, const Style& style);

/// Returns the words of VerdictWords(), with ", improved" if the gate's interval excludes no change
/// on the good side.
std::string ResultWords(const v1::Comparison& gate, const Style& style);
/// Returns whether the gate's interval excludes no change on the good side, as the daemon found.
bool IsImproved(const v1::Comparison& gate);

/// Returns the word at the start of a sentence about the verdict: "PASS", "REGRESSION",
/// "UNDECIDED", or "NOT BETTER"; of a control, "CONTROL UNCHANGED".
std::string LeadingWord(const v1::Comparison& gate);
std::string LeadingWord(const v1::Update& update);

}  // namespace benchd::client
