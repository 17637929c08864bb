#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/session.h"

namespace benchd {

/// Fewest machines for a verdict.
inline constexpr std::size_t kFewestMachines = 4;

/// Whether a gate has an estimate on the scale of its margin that can serve as a machine's value.
bool HasEstimate(const Comparison& gate);

/// The results of one session on one machine, from its export. A value.
struct MachineSession {
  std::string source;  ///< the name in messages: that of the file
  std::string session;
  std::string machine;  ///< the fact of that name (system/machine_sample.h)
  Timestamp started_at{};
  Sided sided = Sided::kTwo;
  std::vector<Comparison> gates;
  /// The session's warnings; those that invalidate are its refusals.
  std::vector<Warning> warnings;
  /// The commits that arms were built from, by benchmark and arm.
  std::map<std::pair<std::string, std::string>, std::string> commits;
};

/// One machine: its sessions form one unit.
struct CombinedMachine {
  std::string machine;
  std::vector<std::string> sources;
  std::vector<std::string> sessions;
};

/// An export that is not combined, and the reason.
struct LeftOutSession {
  std::string source;
  /// If it invalidates, it may hide a regression, so no gate passes.
  Warning warning;
};

/// A regression that a session found without an interval.
struct ReasonedRegression {
  std::string source;
  std::string machine;
  std::string reason;  ///< Comparison::reason
};

/// One gate over all machines.
struct CombinedGate {
  /// The mean over the machines that have an estimate; with an interval (from two machines, widened
  /// by the metric's steps) and a verdict (from four machines). n counts machines with an estimate.
  /// Fields that describe runs are absent.
  Comparison comparison;
  /// The variance between machines beyond the noise of their runs: on the log scale of the change,
  /// or of the difference. Absent if a machine's error is unknown.
  std::optional<double> tau_squared;
  /// Prediction of the change, or the difference, on one more machine; from three machines on.
  std::optional<std::pair<double, double>> prediction;
  /// For each machine in order: the mean of its sessions, or its reason for having no estimate. Has
  /// an interval only for a machine with one session.
  std::vector<Comparison> of_machine;
  std::vector<std::size_t> outliers;  ///< machines outside the prediction of the others
  /// Sources whose sessions refused to judge this gate, or could not: it is undecided.
  std::vector<std::string> refused_by;
  /// Each of these makes the gate a regression, whatever the other sessions found.
  std::vector<ReasonedRegression> regressed_in;
};

struct MachineCombination {
  Verdict verdict = Verdict::kUndecided;
  std::vector<CombinedMachine> machines;
  std::vector<CombinedGate> gates;
  /// Exports that were left out come first. Codes: counted_once, session_refused, machine_differs,
  /// machine_speed, measured_apart, stopped_early; and, copied from the sessions, metric_missing,
  /// no_ratio and failed_runs.
  std::vector<Warning> warnings;
};

/// The verdict over machines (docs/machines.md): Student's t for each gate with the machine as the
/// unit, at the level of the sessions' own gates, alpha / G.
///
/// Each session counts once: a second one with the same id, or with the same machine and start
/// time, is left out and named. Several sessions of one machine are averaged into one unit. With
/// fewer machines than expected, or fewer than four, nothing is decided.
///
/// If a session could not judge a gate (undecided for a reason or with a warning that invalidates:
/// steps too coarse, values missing, its one look not taken, nothing to compare with), then no
/// number of machines can: the error is the same on all of them, or affects one arm. The gate is
/// undecided, and the sessions are named. They are not left out automatically, because that choice
/// would depend on their results.
///
/// A regression without an interval (the candidate lacks the metric, left 0, or fails) is not
/// random. It makes the gate a regression whatever the mean of the others is. Only that session may
/// have the gate.
///
/// @param expected  the number of machines expected
/// @param left_out  exports of other machines that could not be used
/// @errors kInvalidArgument naming the difference if two sessions do not make the same comparison:
/// arms, commits, metrics, units, margins, estimators or confidence. Also without any session.
Result<MachineCombination> CombineMachines(std::vector<MachineSession> sessions,
                                           std::optional<std::size_t> expected,
                                           const std::vector<LeftOutSession>& left_out = {});

}  // namespace benchd
