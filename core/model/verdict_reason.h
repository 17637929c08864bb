#pragma once

#include <string>
#include <string_view>

namespace benchd {

/// Why a gate has its verdict without an interval that says so (Comparison::reason).
struct VerdictReason {
  std::string_view code;   ///< stable
  std::string_view words;  ///< behind the verdict in a table
  /// {reference}, {candidate} and {metric} stand for their names.
  std::string_view sentence;
  std::string_view hint;  ///< what to do about it; empty where a warning of the gate says it
  /// It became a gate after the gates were fixed, so the session does not wait for it.
  bool late = false;
};

/// Every reason there is: the one list of them. A gate that a warning invalidates has the warning's
/// code instead.
inline constexpr VerdictReason kVerdictReasons[] = {
    {"missing_in_candidate", "missing in candidate", "{candidate} has no {metric}, {reference} has",
     "--allow-missing makes that a warning"},
    {"missing_in_reference", "missing in reference",
     "{reference} has no {metric} to compare {candidate} with", "gate on what every arm has"},
    {"failed_in_candidate", "runs of candidate failed",
     "runs of {candidate} failed, none of {reference} did",
     "--accept-exit names exit codes that are no failure"},
    {"failed_in_reference", "runs of reference failed",
     "runs of {reference} failed, none of {candidate} did",
     "--accept-exit names exit codes that are no failure"},
    {"candidate_always_failed", "each run of candidate failed",
     "every run of {candidate} failed, only some of {reference} did",
     "--accept-exit names exit codes that are no failure"},
    {"failed_unequally", "unequal failures",
     "runs of {reference} and of {candidate} failed, of one of them more than chance explains",
     "--accept-exit names exit codes that are no failure"},
    {"left_zero", "was 0", "{metric} of {reference} is always 0, that of {candidate} never is", ""},
    {"fell_to_zero", "fell to 0",
     "{metric} of {candidate} is always 0, that of {reference} never is", ""},
    {"no_ratio", "no ratio", "{metric} of {reference} is always 0: there is no relative change",
     ""},
    {"not_positive", "not above 0", "{metric} is not always above 0: there is no relative change",
     ""},
    {"out_of_range", "out of range",
     "{metric} is not within 1e-90 to 1e90, or its values are too far apart for double precision: "
     "there is no relative change",
     ""},
    {"resolution", "within a step",
     "one step of {metric} is too coarse to judge {candidate} by the margin or precision asked for",
     ""},
    // What the gates were fixed without.
    {"late_metric", "printed late",
     "not every arm had printed {metric} when the gates were settled",
     "run it again with more warm-up: --warmup N", true},
    {"late_direction", "direction printed late",
     "no run had said which direction of {metric} is good when the gates were settled",
     "name it: --metric NAME:lower or NAME:higher", true},
    {"late_values", "0 or constant at first",
     "{metric} was 0, or all the same in steps above the margin, when the gates were settled, and "
     "no longer is",
     "gate on it by its name: --metric NAME", true},
    {"missing_values", "values missing", "too many runs lack {metric}", ""},
    {"runs_incomplete", "ended early",
     "the one look at {metric} of {candidate} was not taken: a limit came before all runs were "
     "done",
     ""},
    {"intervals_disjoint", "looks exclude each other",
     "two looks at {metric} of {candidate} exclude each other, so no interval is left", ""},
};

/// The row of that code, or nullptr: a warning's, or a newer benchd's.
constexpr const VerdictReason* FindVerdictReason(std::string_view code) {
  for (const VerdictReason& reason : kVerdictReasons) {
    if (reason.code == code) return &reason;
  }
  return nullptr;
}

/// Whether a gate with that reason is one that the session does not wait for.
constexpr bool IsOfLateGate(std::string_view code) {
  const VerdictReason* const reason = FindVerdictReason(code);
  return reason != nullptr && reason->late;
}

/// What a gate compares, as the sentence of its reason names it.
struct GateNames {
  std::string_view reference;
  std::string_view candidate;
  std::string_view metric;
};

/// A code that has no row, as words: a warning's, or a newer benchd's.
std::string CodeInWords(std::string_view code);

/// The reason's sentence with these names; of a code that nobody knows, the code in words.
std::string SentenceOf(std::string_view code, const GateNames& names);

/// The code of a row; a text that is none does not compile.
consteval std::string_view Reason(std::string_view code) {
  for (const VerdictReason& reason : kVerdictReasons) {
    if (reason.code == code) return reason.code;
  }
  throw "core/model/verdict_reason.h has no such row";
}

}  // namespace benchd
