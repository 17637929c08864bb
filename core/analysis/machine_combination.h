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

/// The minimum number of machines for a verdict.
inline constexpr std::size_t kFewestMachines = 4;

/// Returns whether a gate has an estimate on the scale of its margin that can serve as a machine's
/// value.
bool HasEstimate(const Comparison& gate);

/// The results of one session on one machine, read from its export.
struct MachineSession {
  std::string source;  ///< name of the file, used in messages
  std::string session;
  std::string machine;  ///< the fact `machine` (observe/sample.h)
  Timestamp started_at{};
  Sided sided = Sided::kTwo;
  std::vector<Comparison> gates;
  /// The session's warnings. Warnings that invalidate mean that the session refused to judge.
  std::vector<Warning> warnings;
  /// The commits that arms were built from, by benchmark and arm.
  std::map<std::pair<std::string, std::string>, std::string> commits;
};

/// A machine, whose sessions form one unit.
struct CombinedMachine {
  std::string machine;
  std::vector<std::string> sources;
  std::vector<std::string> sessions;
};

/// An export that is left out, with the reason.
struct LeftOutSession {
  std::string source;
  /// The reason. If the warning invalidates, the export may hide a regression, so no gate passes.
  Warning warning;
};

/// A regression that a session found without an interval.
struct ReasonedRegression {
  std::string source;
  std::string machine;
  std::string reason;  ///< code for Comparison::reason
};

/// The result of one gate over all machines.
struct CombinedGate {
  /// The mean over the machines that have an estimate. With at least two machines it has an
  /// interval, which is widened by the metric's steps. With at least four machines it also has a
  /// verdict. The fields n_reference and n_candidate count machines with an estimate. Fields that
  /// describe runs are absent.
  Comparison comparison;
  /// The variance between machines beyond the noise of their runs, on the log scale of the change
  /// or on the scale of the difference. Absent if the error of a machine is unknown.
  std::optional<double> tau_squared;
  /// The predicted range of the change, or of the difference, on one more machine. Present with at
  /// least three machines.
  std::optional<std::pair<double, double>> prediction;
  /// The result of each machine, in order: the mean of its sessions, or the reason why there is no
  /// estimate. Only a machine with a single session has an interval.
  std::vector<Comparison> of_machine;
  std::vector<std::size_t> outliers;  ///< machines outside the prediction from the others
  /// The sources whose sessions refused to judge this gate or could not judge it. They make the
  /// gate undecided.
  std::vector<std::string> refused_by;
  /// The regressions without an interval. Each of them makes the gate a regression, whatever the
  /// other sessions found.
  std::vector<ReasonedRegression> regressed_in;
};

struct MachineCombination {
  Verdict verdict = Verdict::kUndecided;
  std::vector<CombinedMachine> machines;
  std::vector<CombinedGate> gates;
  /// The warnings, of which those about exports that were left out come first. The codes are
  /// counted_once, session_refused, machine_differs, machine_speed, measured_apart and
  /// stopped_early, and from the sessions metric_missing, no_ratio and failed_runs.
  std::vector<Warning> warnings;
};

/// Computes the verdict over machines (docs/machines.md): Student's t for each gate with the
/// machine as the unit, at the level alpha / G of the gates of the sessions.
///
/// Each session counts once. A second session with the same id, or with the same machine and start
/// time, is left out and reported. Several sessions of one machine are averaged to one unit. If
/// there are fewer machines than expected, or fewer than four, nothing is decided.
///
/// If a session could not judge a gate, more machines cannot judge it either, because the error is
/// the same on all of them or affects one arm. This is the case if the gate is undecided for a
/// reason, or has a warning that invalidates it: the steps are too coarse, values are missing, the
/// one look was not taken, or there is nothing to compare with. The gate is then undecided, and the
/// sessions are reported. They are not left out automatically, because that choice would depend on
/// their results.
///
/// Controls are not combined. A session whose control changed has not judged its gates
/// (`control_changed`), whatever they show, so it refuses all of them.
///
/// A regression without an interval (the candidate lacks the metric, left 0, or fails) is not
/// random. It makes the gate a regression, whatever the mean of the other sessions is. The other
/// sessions may lack the gate.
///
/// @param expected  the number of machines expected
/// @param left_out  the exports of other machines that could not be used
/// @errors kInvalidArgument if two sessions do not make the same comparison (the message names the
/// difference in arms, commits, metrics, units, margins, estimators or confidence), or if there are
/// no sessions
Result<MachineCombination> CombineMachines(std::vector<MachineSession> sessions,
                                           std::optional<std::size_t> expected,
                                           const std::vector<LeftOutSession>& left_out = {});

}  // namespace benchd
