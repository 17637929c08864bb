#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// The effect of a warning on the verdict.
enum class Severity {
  kNote,         ///< for information only
  kCaution,      ///< the verdict is valid, but the reader should know about the problem
  kInvalidates,  ///< the values do not support a verdict: the gate is undecided
};
BENCHD_NAMES(Severity, "note", "caution", "invalidates")

/// A message to the reader of a verdict.
///
/// MakeWarning() creates a warning with the severity and hint from the table below. The caller may
/// then replace them.
struct Warning {
  std::string code;       ///< stable identifier
  std::string message;    ///< a sentence
  std::string benchmark;  ///< empty = the whole session
  std::string arm;        ///< empty = all arms
  Severity severity = Severity::kCaution;
  std::string hint;  ///< what to do; empty if the message says so, or if there is no remedy
  /// The metric of the gate that the warning concerns, with `arm` as the candidate; empty if it
  /// does not concern a single gate. If the severity is kInvalidates, that gate is undecided.
  std::string metric;
  /// The reference of that gate. Empty in warnings from an older benchd, which concern the
  /// candidate's gates against all references.
  std::string reference;
  std::optional<double> share;  ///< failed_runs: the share of the arm's runs that failed
  bool operator==(const Warning&) const = default;
};
BENCHD_FIELDS(Warning, code, message, benchmark, arm, severity, hint, metric, reference, share)

/// The properties of all warnings with the same code.
struct WarningKind {
  std::string_view code;
  Severity severity;
  std::string_view hint;
};

/// The complete list of the codes that benchd and benchctl use.
inline constexpr WarningKind kWarningKinds[] = {
    // Warnings that the data do not support the verdict, or that there is no verdict for a reason
    // that more runs cannot remove.
    {"missing_values", Severity::kInvalidates,
     "print the metric in every run, or gate on another metric"},
    {"resolution", Severity::kInvalidates, "choose a wider margin, or another metric"},
    {"runs_incomplete", Severity::kInvalidates, "raise --max-time"},
    {"intervals_disjoint", Severity::kInvalidates, "repeat the comparison on a quieter machine"},
    {"exact_contradicted", Severity::kInvalidates,
     "repeat the comparison with more runs, such as --min-runs 50, or with a margin"},
    {"control_changed", Severity::kInvalidates,
     "run `benchctl machine doctor` to list disturbances, then repeat the comparison"},
    {"not_lognormal", Severity::kInvalidates,
     "use the estimator mean, or hl to compare the typical run"},
    {"info_intervals_disjoint", Severity::kNote, ""},
    {"not_constant", Severity::kNote, ""},
    {"grouped", Severity::kNote, "to run each benchmark alone, add --no-groups"},
    {"estimate_outside", Severity::kNote, ""},
    {"control_open", Severity::kCaution, "raise --max-time, or widen the margin of the control"},
    {"placebo", Severity::kCaution, "run `benchctl machine doctor` to list disturbances"},
    {"warmup", Severity::kCaution, ""},
    {"warmup_inside", Severity::kCaution, ""},
    {"pairs_drift", Severity::kCaution, "repeat the comparison on a quieter machine"},
    {"pairs_correlated", Severity::kCaution, "repeat the comparison on a quieter machine"},
    {"shapes_differ", Severity::kCaution, ""},
    {"drift", Severity::kNote, ""},  // for pairs, which compensate for drift; otherwise a caution
    {"outliers", Severity::kNote, ""},
    {"best_run", Severity::kNote, ""},
    {"several_modes", Severity::kNote, ""},
    {"dissimilar_runs", Severity::kNote, ""},
    {"spikes", Severity::kNote, ""},
    // There are too few runs of measured arms for an interval.
    {"few_runs", Severity::kCaution, ""},
    // What the intervals of measured arms do not cover.
    {"other_sessions", Severity::kNote,
     "to compare programs or builds, use `benchctl compare`, which runs them side by side"},
    // Warnings about metrics that are not compared and about failed runs. They become notes if the
    // metric could not have gated.
    {"metric_missing", Severity::kCaution, ""},
    {"no_ratio", Severity::kCaution, ""},
    {"failed_runs", Severity::kCaution, ""},
    // Warnings about files that are missing in the built commits. The measurement used the files
    // that exist.
    {"lfs_pointers", Severity::kCaution,
     "have the build fetch them, for example with --build 'git lfs pull && make'"},
    {"empty_submodules", Severity::kCaution,
     "have the build fetch them, for example with --build 'git submodule update --init --recursive "
     "&& make'"},
    // Warnings about the table that was read.
    {"no_classic_interval", Severity::kCaution, "omit --interval"},
    {"not_compared", Severity::kCaution, "name their reference: --base NAME"},
    {"not_interleaved", Severity::kCaution, ""},
    {"different_days", Severity::kCaution, "measure both on the same day, alternately"},
    {"incomplete_pairs", Severity::kCaution, "check the column `pair`"},
    {"one_process", Severity::kCaution, ""},
    {"means_alone", Severity::kCaution, "pass several files per arm"},
    {"beyond_max_runs", Severity::kNote, ""},
    // Warnings about the combination of several machines.
    {"counted_once", Severity::kCaution, ""},
    {"not_counted", Severity::kCaution, ""},
    {"session_refused", Severity::kInvalidates,
     "leave that export out, or repeat the session on that machine"},
    {"machine_differs", Severity::kCaution, ""},
    {"machine_speed", Severity::kCaution, ""},
    {"measured_apart", Severity::kCaution, ""},
    {"stopped_early", Severity::kCaution, ""},
    // Warnings about the machine during the measurement.
    {"frequency", Severity::kCaution, ""},
    {"throttling", Severity::kCaution, ""},
    {"steal", Severity::kCaution, ""},
    {"other_process", Severity::kCaution, ""},
    {"contention", Severity::kCaution, ""},
    {"limit_reached", Severity::kCaution, "raise the limit in the machine profile"},
    {"partition_invalid", Severity::kCaution, "repeat the comparison"},
    {"setting_changed", Severity::kCaution, "repeat the comparison without changing the setting"},
    {"setting_left", Severity::kCaution, "check the setting with `benchctl machine status`"},
    {"aslr_off", Severity::kCaution, "set aslr = \"on\" in the machine profile"},
    {"nice_inherited", Severity::kCaution, "start benchd without nice"},
    {"migrations", Severity::kNote, ""},
    {"threads_took_turns", Severity::kCaution,
     "give the benchmark more CPUs (--cpus, or benchmark_cpus in the machine profile), or compare "
     "cpu_time"},
    {"counters_scaled", Severity::kNote, ""},
    {"cgroup_v1", Severity::kNote, ""},
    // Warnings about the profiles of sampled runs.
    {"profile_unnamed", Severity::kCaution,
     "build with symbols (-g), and do not strip the program"},
    {"profile_lost", Severity::kCaution, "sample less often"},
    {"profile_full", Severity::kCaution,
     "sample less often (--frequency), or without --call-graph dwarf"},
    {"profile_few", Severity::kCaution,
     "use more blocks (--runs), sample more often, or let the program run longer"},
    {"profile_short_lived", Severity::kCaution, "sample more often"},
    {"profile_no_callers", Severity::kCaution,
     "build with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer, or use --call-graph dwarf"},
    {"profile_left_out", Severity::kCaution, "use fewer blocks (--runs)"},
    // Warnings about pauses and interruptions of the session.
    {"disk_full", Severity::kCaution, ""},
    {"not_stored", Severity::kCaution, ""},
    {"interrupted", Severity::kNote, ""},
    {"paused", Severity::kNote, ""},
};

/// Returns the row with this code, or nullptr for the code of a newer benchd.
constexpr const WarningKind* FindWarningKind(std::string_view code) {
  for (const WarningKind& kind : kWarningKinds) {
    if (kind.code == code) return &kind;
  }
  return nullptr;
}

/// The code of a row of the table, converted from its text. Any other text does not compile.
class WarningCode {
 public:
  // The constructor is implicit, so that callers can write MakeWarning("steal", ...). It stores an
  // index because, with sanitizers, GCC 12 cannot compare addresses of rows in constant
  // expressions.
  consteval WarningCode(const char* code) {  // NOLINT
    while (row_ < std::size(kWarningKinds) && kWarningKinds[row_].code != code) ++row_;
    if (row_ == std::size(kWarningKinds)) throw "core/model/warning.h has no row for this code";
  }
  constexpr const WarningKind& kind() const { return kWarningKinds[row_]; }

 private:
  std::size_t row_ = 0;
};

/// Creates a warning with the severity and hint of its code. Use it instead of filling in a
/// Warning.
Warning MakeWarning(WarningCode code, std::string message, std::string benchmark = {},
                    std::string arm = {});

/// Sets severity and hint from the code, for a warning that was stored or sent without them. A
/// warning with an unknown code becomes a caution.
void CompleteWarning(Warning& warning);

}  // namespace benchd
