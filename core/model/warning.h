#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// What a warning does to the verdict that stands beside it.
enum class Severity {
  kNote,         ///< for information: a verdict is as good with it
  kCaution,      ///< the verdict stands; the reader should know, or act on it
  kInvalidates,  ///< no verdict can rest on these values: a gate that has it is undecided
};
BENCHD_NAMES(Severity, "note", "caution", "invalidates")

/// Something a reader of the verdict should know.
///
/// MakeWarning() makes one. Its severity and hint are the table's (warning.cc), unless who made it
/// knew better.
struct Warning {
  std::string code;       ///< stable
  std::string message;    ///< a sentence
  std::string benchmark;  ///< empty = the whole session
  std::string arm;        ///< empty = all arms
  Severity severity = Severity::kCaution;
  std::string hint;  ///< what to do about it; empty where the message says that, or nothing helps
  /// Of which gate of `benchmark` it speaks, `arm` being the candidate; empty = of none alone. One
  /// that invalidates makes that gate undecided.
  std::string metric;
  /// Of that gate, too; empty = of the candidate's gates against every reference, as an older
  /// benchd said it.
  std::string reference;
  std::optional<double> share;  ///< failed_runs: the share of the arm's runs that failed
  bool operator==(const Warning&) const = default;
};
BENCHD_FIELDS(Warning, code, message, benchmark, arm, severity, hint, metric, reference, share)

/// What all warnings of a code have in common.
struct WarningKind {
  std::string_view code;
  Severity severity;
  std::string_view hint;
};

/// Every code that benchd or benchctl makes: the one list of them.
inline constexpr WarningKind kWarningKinds[] = {
    // The data do not carry the verdict, or there is none for a reason that more runs do not mend.
    {"missing_values", Severity::kInvalidates, "let every run print it, or gate on another metric"},
    {"resolution", Severity::kInvalidates, "choose a wider margin, or another metric"},
    {"runs_incomplete", Severity::kInvalidates, "give it more --max-time"},
    {"intervals_disjoint", Severity::kInvalidates,
     "compare once more, on a machine that is quieter"},
    {"info_intervals_disjoint", Severity::kNote, ""},
    {"estimate_outside", Severity::kNote, ""},
    {"placebo", Severity::kCaution, "`benchctl machine doctor` names what disturbs it"},
    {"warmup", Severity::kCaution, ""},
    {"warmup_inside", Severity::kCaution, ""},
    {"pairs_drift", Severity::kCaution, "compare once more, on a machine that is quieter"},
    {"shapes_differ", Severity::kCaution, ""},
    {"drift", Severity::kNote, ""},  // of pairs; what has none is not compensated for: a caution
    {"outliers", Severity::kNote, ""},
    {"several_modes", Severity::kNote, ""},
    {"dissimilar_runs", Severity::kNote, ""},
    {"spikes", Severity::kNote, ""},
    // What was not compared, or not by a clean exit. A note where nothing could have gated.
    {"metric_missing", Severity::kCaution, ""},
    {"no_ratio", Severity::kCaution, ""},
    {"failed_runs", Severity::kCaution, ""},
    // What the commits that were built still lack: measured is what there is.
    {"lfs_pointers", Severity::kCaution,
     "have the build fetch them, as by --build 'git lfs pull && make'"},
    {"empty_submodules", Severity::kCaution,
     "have the build fetch them, as by --build 'git submodule update --init --recursive && make'"},
    // The table that was read.
    {"no_classic_interval", Severity::kCaution, "leave --interval out"},
    {"not_compared", Severity::kCaution, "name their reference: --base NAME"},
    {"not_interleaved", Severity::kCaution, ""},
    {"different_days", Severity::kCaution, "measure both on the same day, in turn"},
    {"incomplete_pairs", Severity::kCaution, "look at the column pair"},
    {"one_process", Severity::kCaution, ""},
    {"means_alone", Severity::kCaution,
     "let pytest write the rounds, too: --benchmark-save-data; or give several files of each arm"},
    {"beyond_max_runs", Severity::kNote, ""},
    // Several machines together.
    {"counted_once", Severity::kCaution, ""},
    {"not_counted", Severity::kCaution, ""},
    {"session_refused", Severity::kInvalidates, "leave that export out, or measure there again"},
    {"machine_differs", Severity::kCaution, ""},
    {"machine_speed", Severity::kCaution, ""},
    {"measured_apart", Severity::kCaution, ""},
    {"stopped_early", Severity::kCaution, ""},
    // The machine while it measured.
    {"frequency", Severity::kCaution, ""},
    {"throttling", Severity::kCaution, ""},
    {"steal", Severity::kCaution, ""},
    {"other_process", Severity::kCaution, ""},
    {"contention", Severity::kCaution, ""},
    {"limit_reached", Severity::kCaution, "raise that limit in the machine profile"},
    {"partition_invalid", Severity::kCaution, "compare once more"},
    {"setting_changed", Severity::kCaution, "compare once more while nobody changes it"},
    {"setting_left", Severity::kCaution, "`benchctl machine status` shows it"},
    {"aslr_off", Severity::kCaution, "set aslr = \"on\" in the machine profile"},
    {"nice_inherited", Severity::kCaution, "start benchd without nice"},
    {"migrations", Severity::kNote, ""},
    {"threads_took_turns", Severity::kCaution,
     "give it more CPUs (--cpus, benchmark_cpus of the machine profile), or compare cpu_time"},
    {"counters_scaled", Severity::kNote, ""},
    {"cgroup_v1", Severity::kNote, ""},
    // A session that stands still, or stood still.
    {"disk_full", Severity::kCaution, ""},
    {"not_stored", Severity::kCaution, ""},
    {"interrupted", Severity::kNote, ""},
    {"paused", Severity::kNote, ""},
};

/// The row of that code, or nullptr: a newer benchd's.
constexpr const WarningKind* FindWarningKind(std::string_view code) {
  for (const WarningKind& kind : kWarningKinds) {
    if (kind.code == code) return &kind;
  }
  return nullptr;
}

/// The code of a row of the table, from its text: another text does not compile.
class WarningCode {
 public:
  // Implicit, so that a code is written where it is used: MakeWarning("steal", ...).
  // By its number: with its sanitizers GCC 12 compares no address of a row while it compiles.
  consteval WarningCode(const char* code) {  // NOLINT
    while (row_ < std::size(kWarningKinds) && kWarningKinds[row_].code != code) ++row_;
    if (row_ == std::size(kWarningKinds)) throw "core/model/warning.h has no row for this code";
  }
  constexpr const WarningKind& kind() const { return kWarningKinds[row_]; }

 private:
  std::size_t row_ = 0;
};

/// The one way to make a warning: with its code's severity and hint.
Warning MakeWarning(WarningCode code, std::string message, std::string benchmark = {},
                    std::string arm = {});

/// Gives a warning that was kept or sent without them its code's severity and hint; one whose code
/// nobody knows is a caution.
void CompleteWarning(Warning& warning);

}  // namespace benchd
