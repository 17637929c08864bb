#pragma once

#include <string>
#include <string_view>

namespace benchd {

/// A reason for a verdict that does not come from an interval (Comparison::reason).
struct VerdictReason {
  std::string_view code;   ///< stable identifier
  std::string_view words;  ///< text shown after the verdict in a table
  /// A sentence in which {reference}, {candidate} and {metric} are replaced by names.
  std::string_view sentence;
  std::string_view hint;  ///< what to do; empty if a warning about the gate contains the hint
  /// The metric qualified as a gate only after the gates were fixed, so the session does not wait
  /// for it.
  bool late = false;
};

/// The complete list of reasons. If a warning invalidates a gate, the reason is the warning's code
/// instead.
inline constexpr VerdictReason kVerdictReasons[] = {
    {"missing_in_candidate", "missing in candidate",
     "{metric} is missing in {candidate}, but not in {reference}",
     "use --allow-missing to get a warning instead"},
    {"missing_in_reference", "missing in reference",
     "{metric} is missing in {reference}, so {candidate} cannot be compared",
     "gate on a metric that every arm has"},
    {"failed_in_candidate", "runs of candidate failed",
     "runs of {candidate} failed, but no run of {reference} did",
     "use --accept-exit to accept other exit codes"},
    {"failed_in_reference", "runs of reference failed",
     "runs of {reference} failed, but no run of {candidate} did",
     "use --accept-exit to accept other exit codes"},
    {"candidate_always_failed", "each run of candidate failed",
     "every run of {candidate} failed, but only some runs of {reference} did",
     "use --accept-exit to accept other exit codes"},
    {"failed_unequally", "unequal failures",
     "runs of {reference} and {candidate} failed, and their failure rates differ by more than "
     "chance",
     "use --accept-exit to accept other exit codes"},
    {"left_zero", "was 0", "{metric} is always 0 in {reference} and never 0 in {candidate}", ""},
    {"fell_to_zero", "fell to 0", "{metric} is always 0 in {candidate} and never 0 in {reference}",
     ""},
    {"no_ratio", "no ratio", "{metric} of {reference} is always 0, so there is no relative change",
     ""},
    {"not_positive", "not above 0",
     "{metric} is not always above 0, so there is no relative change", ""},
    {"out_of_range", "out of range",
     "{metric} is not within 1e-90 to 1e90, or its values are too far apart for double precision, "
     "so there is no relative change",
     ""},
    {"resolution", "within a step",
     "one step of {metric} is too coarse to judge {candidate} by the requested margin or precision",
     ""},
    // These metrics could not gate when the gates were fixed.
    {"late_metric", "printed late",
     "not every arm had printed {metric} when the gates were settled",
     "repeat the comparison with more warm-up: --warmup N", true},
    {"late_direction", "direction printed late",
     "no run had stated the better direction of {metric} when the gates were settled",
     "state the direction: --metric NAME:lower or NAME:higher", true},
    {"late_values", "0 or constant at first",
     "when the gates were settled, {metric} was 0, or constant with a step above the margin; it "
     "has changed since",
     "gate on this metric by name: --metric NAME", true},
    {"missing_values", "values missing", "too many runs lack {metric}", ""},
    {"runs_incomplete", "ended early",
     "the one look at {metric} of {candidate} was not taken, because a limit was reached before "
     "all runs had ended",
     ""},
    {"exact_contradicted", "no longer constant",
     "{metric} of {reference} and {candidate} was constant when it was decided, but later runs "
     "contradict that verdict",
     ""},
    {"confirming", "to be confirmed",
     "{metric} of {candidate} regressed against {reference}, and this is to be confirmed", ""},
    {"unconfirmed", "not confirmed",
     "{metric} of {candidate} regressed against {reference}, but a control had changed, so there "
     "was no second phase",
     ""},
    {"not_confirmed", "not confirmed",
     "{metric} of {candidate} regressed against {reference}, but a second phase of fresh runs did "
     "not confirm it",
     ""},
    {"control_changed", "the control changed",
     "{metric} of {candidate} is a control that changed against {reference} by more than its "
     "margin: the machine, not the code",
     ""},
    {"not_lognormal", "not log-normal",
     "{metric} of {reference} or {candidate} is not log-normal, so lognormal-mean cannot judge it",
     ""},
    {"intervals_disjoint", "looks exclude each other",
     "two looks at {metric} of {candidate} exclude each other, so there is no interval", ""},
};

/// Returns the row with this code, or nullptr for the code of a warning or of a newer benchd.
constexpr const VerdictReason* FindVerdictReason(std::string_view code) {
  for (const VerdictReason& reason : kVerdictReasons) {
    if (reason.code == code) return &reason;
  }
  return nullptr;
}

/// Returns whether the session does not wait for a gate with this reason.
constexpr bool IsOfLateGate(std::string_view code) {
  const VerdictReason* const reason = FindVerdictReason(code);
  return reason != nullptr && reason->late;
}

/// The names that replace the fields of VerdictReason::sentence.
struct GateNames {
  std::string_view reference;
  std::string_view candidate;
  std::string_view metric;
};

/// Converts a code without a row (of a warning, or of a newer benchd) to words.
std::string CodeInWords(std::string_view code);

/// Returns the sentence of the reason with these names, or the code in words if the code is
/// unknown.
std::string SentenceOf(std::string_view code, const GateNames& names);

/// Returns the code of a row. A call with any other text does not compile.
consteval std::string_view Reason(std::string_view code) {
  for (const VerdictReason& reason : kVerdictReasons) {
    if (reason.code == code) return reason.code;
  }
  throw "core/model/verdict_reason.h has no such row";
}

}  // namespace benchd
