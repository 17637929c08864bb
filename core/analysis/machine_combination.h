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

/// Whether a gate has an estimate on the scale of its margin, and one that a machine's can be.
bool HasEstimate(const Comparison& gate);

/// What one session on one machine found, as its export says it. A value.
struct MachineSession {
  std::string source;  ///< how messages call it: the file's name
  std::string session;
  std::string machine;  ///< the fact of that name (system/machine_sample.h)
  Timestamp started_at{};
  Sided sided = Sided::kTwo;
  std::vector<Comparison> gates;
  /// What the session said of its own values; those that invalidate are its refusals.
  std::vector<Warning> warnings;
  /// The commits that arms were built from, by benchmark and arm.
  std::map<std::pair<std::string, std::string>, std::string> commits;
};

/// One machine: the sessions that were measured there are one unit.
struct CombinedMachine {
  std::string machine;
  std::vector<std::string> sources;
  std::vector<std::string> sessions;
};

/// What is not there to be combined, and why.
struct LeftOutSession {
  std::string source;
  /// One that invalidates may hide a regression: beside it no gate passes.
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
  /// The mean over the machines that have an estimate, with its interval (from two of them on, and
  /// widened by what the metric's steps add to theirs) and, from four machines on, the verdict. n
  /// counts machines with an estimate; what belongs to runs is absent.
  Comparison comparison;
  /// How far machines differ beyond their runs' noise: on the scale of the change's logarithm, or
  /// of the difference. Absent where a machine's error is unknown.
  std::optional<double> tau_squared;
  /// Where one more machine would find the change, or the difference; from three machines on.
  std::optional<std::pair<double, double>> prediction;
  /// Of each machine, in their order: what its runs found, averaged over its sessions, or its
  /// reason for having no estimate. With an interval where it has one session.
  std::vector<Comparison> of_machine;
  std::vector<std::size_t> outliers;  ///< machines outside of what the others predict
  /// Sources whose sessions refused to judge this gate, or could not: it is undecided.
  std::vector<std::string> refused_by;
  /// Each makes it a regression, whatever the others found.
  std::vector<ReasonedRegression> regressed_in;
};

struct MachineCombination {
  Verdict verdict = Verdict::kUndecided;
  std::vector<CombinedMachine> machines;
  std::vector<CombinedGate> gates;
  /// What was left out, first. Codes counted_once, session_refused, machine_differs, machine_speed,
  /// measured_apart, stopped_early; and, as the sessions said them, those of what was not compared
  /// or not by a clean exit: metric_missing, no_ratio, failed_runs.
  std::vector<Warning> warnings;
};

/// The verdict over machines (docs/machines.md): each gate by Student's t with the machine as the
/// unit, at the level that the sessions' own gates have, alpha / G.
///
/// A session is counted once: the same id, or the same machine and moment of start, a second time
/// is left out and named. Several sessions of one machine are averaged into one unit. Where not all
/// machines are there that were expected, or under four, nothing is decided.
///
/// What a session could not judge (its gate undecided, for a reason or beside a warning that
/// invalidates: steps too coarse, values missing, its one look not taken, nothing to compare with)
/// no number of machines can: such an error is the same on all of them, or falls on one arm. That
/// gate is undecided, and the sessions are named; they are not left out by themselves, since that
/// choice would depend on what they found.
///
/// What a session found without an interval (the candidate lacks the metric, left 0, or fails) is
/// no matter of chance: it makes the gate a regression, beside any mean of the others. Such a gate
/// may be that session's alone.
///
/// @param expected  how many machines there should be
/// @param left_out  what could not be had of others
/// @errors kInvalidArgument naming what differs, if two sessions are not of one comparison: their
///         arms, commits, metrics, units, margins, estimators or confidence. Also without a
///         session.
Result<MachineCombination> CombineMachines(std::vector<MachineSession> sessions,
                                           std::optional<std::size_t> expected,
                                           const std::vector<LeftOutSession>& left_out = {});

}  // namespace benchd
