#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/explanation.h"
#include "core/model/findings.h"
#include "core/model/measurement.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "core/model/warning.h"

namespace benchd {

enum class SessionState { kQueued, kPreparing, kRunning, kPaused, kDone, kFailed, kCancelled };
BENCHD_NAMES(SessionState, "queued", "preparing", "running", "paused", "done", "failed",
             "cancelled")

/// Returns whether the state is done, failed or cancelled. A session in such a state never changes
/// again.
inline bool IsFinal(SessionState state) {
  return state == SessionState::kDone || state == SessionState::kFailed ||
         state == SessionState::kCancelled;
}

/// The state of one machine setting while a session runs.
struct SettingState {
  std::string setting;  ///< name of the setting, such as "cpuset" or "governor"
  std::string wanted;
  std::string actual;
  bool held = false;   ///< `actual` equals `wanted`, and benchd keeps it so
  std::string why;     ///< the reason if the setting is not held
  std::string at_end;  ///< the actual value at the end of the session, before it was restored
  bool operator==(const SettingState&) const = default;
};
BENCHD_FIELDS(SettingState, setting, wanted, actual, held, why, at_end)

/// A description of the machine by facts in display order ("kernel" -> "6.1.0", "cpu" -> ...).
struct Environment {
  std::vector<std::pair<std::string, std::string>> facts;
  bool operator==(const Environment&) const = default;
};
BENCHD_FIELDS(Environment, facts)

/// Returns the value of the fact with this name, or nullptr.
inline const std::string* FactOf(const Environment& environment, std::string_view wanted) {
  for (const auto& [name, value] : environment.facts) {
    if (name == wanted) return &value;
  }
  return nullptr;
}

/// The requirements of a session on the machine.
struct MachineRequest {
  std::string profile;
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;                       ///< CPU list; empty = the profile's CPUs
  std::vector<std::string> settings_off;  ///< settings of the profile to leave unchanged
};
BENCHD_FIELDS(MachineRequest, profile, isolation, cpus, settings_off)

/// The actual state of the machine that a session received.
struct MachineReport {
  Environment environment;
  std::vector<SettingState> isolation;
  std::vector<int> benchmark_cpus;
  std::vector<int> housekeeping_cpus;
  bool user_mode = false;  ///< the daemon belongs to one user and cannot change machine settings
  bool operator==(const MachineReport&) const = default;
};
BENCHD_FIELDS(MachineReport, environment, isolation, benchmark_cpus, housekeeping_cpus, user_mode)

/// The state of the machine at the end of a session. `at_end` has the settings in the order of
/// MachineReport::isolation, and `warnings` are about events during the session.
struct MachineEnd {
  std::vector<std::string> at_end;
  std::vector<Warning> warnings;
  bool operator==(const MachineEnd&) const = default;
};
BENCHD_FIELDS(MachineEnd, at_end, warnings)

/// The current state of the machine.
struct MachineStatus {
  std::string profile;  ///< the machine profile of these settings
  std::string holder;   ///< "session", "apply" or "daemon"; empty = settings are not held
  Environment environment;
  std::vector<SettingState> settings;
  std::vector<int> benchmark_cpus;
  std::vector<int> housekeeping_cpus;
  /// Sentences about settings left unchanged and features not available.
  std::vector<std::string> notes;
  bool operator==(const MachineStatus&) const = default;
};
BENCHD_FIELDS(MachineStatus, profile, holder, environment, settings, benchmark_cpus,
              housekeeping_cpus, notes)

/// A condition that makes measurements on this machine noisier than necessary.
struct NoiseSource {
  std::string name;
  std::string finding;           ///< a sentence with the figures found
  std::string advice;            ///< a recommendation
  std::optional<double> effect;  ///< the measured share of CPU time that it takes, as a fraction
  bool operator==(const NoiseSource&) const = default;
};
BENCHD_FIELDS(NoiseSource, name, finding, advice, effect)

struct ArmRuns {
  std::string benchmark;
  std::string arm;
  std::uint64_t runs = 0;  ///< number of measured runs
  /// The number of blocks of the benchmark after which the arm retired: later ones lack it, because
  /// all of its gates were settled. Absent if it never retired.
  std::optional<std::uint64_t> retired_after = {};
  bool operator==(const ArmRuns&) const = default;
};
BENCHD_FIELDS(ArmRuns, benchmark, arm, runs, retired_after)

/// The state of a session after a block. The last report has the final verdict.
struct Report {
  Verdict verdict = Verdict::kUndecided;
  Basis basis = Basis::kInterval;
  Nanoseconds elapsed{};  ///< time since the first measured run
  std::optional<Nanoseconds> eta;
  std::uint64_t disturbances = 0;
  std::vector<ArmRuns> runs;
  std::vector<Comparison> comparisons;
  std::vector<Warning> warnings;
  std::vector<SuiteChange> geometric_means;  ///< for suites only
  /// The time until the session's time limit, given if `eta` is unknown although a gate has an
  /// interval.
  std::optional<Nanoseconds> time_left;
  // These fields need all runs, so a session has them only when it is done.
  std::vector<ArmOrder> orders;
  std::vector<WorstRun> worst_runs;
  /// The estimates of a session that measures its arms, which has no comparisons. Its verdict is a
  /// pass if every estimate that was asked for is precise, else undecided.
  std::vector<Estimate> estimates;
  /// Whether a control changed, in either phase. `verdict` is then undecided, whatever the gates
  /// show, and the warning `control_changed` names the control.
  bool control_changed = false;
  /// Of a session whose runs were sampled, when it is done: one for each benchmark, reference and
  /// candidate.
  std::vector<Explanation> explanations;
  bool operator==(const Report&) const = default;
};
BENCHD_FIELDS(Report, verdict, basis, elapsed, eta, disturbances, runs, comparisons, warnings,
              geometric_means, time_left, orders, worst_runs, estimates, control_changed,
              explanations)

/// The run that made a session fail, if there is one.
struct FailedRun {
  std::string benchmark;
  std::string arm;
  std::optional<std::uint64_t> block;  ///< absent: a hook of the session, or a list of benchmarks
  RunPhase phase = RunPhase::kMeasured;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string stderr_tail;
  std::string commit;  ///< the commit whose build failed, if benchctl wrote the build
  bool operator==(const FailedRun&) const = default;
};
BENCHD_FIELDS(FailedRun, benchmark, arm, block, phase, exit_code, signal, stderr_tail, commit)

/// The error of a stage, with the run that caused it if there is one.
struct Failure {
  Error error;
  std::optional<FailedRun> run;
  /// The machine could not be provided as requested (strict isolation), so no run was started.
  bool refused = false;
  bool operator==(const Failure&) const = default;
};
BENCHD_FIELDS(Failure, error, run, refused)

/// The result of build and setup.
struct SetupResult {
  /// The arms' programs after build and setup, in order of benchmark and arm.
  std::vector<ProgramIdentity> programs;
  std::vector<Warning> warnings;  ///< warnings from the build that concern the verdict
  bool operator==(const SetupResult&) const = default;
};
BENCHD_FIELDS(SetupResult, programs, warnings)

/// The state of a session's second phase (SessionSpec::confirm).
struct SecondPhase {
  /// The result of its own build and setup; absent until they have run.
  std::optional<SetupResult> setup;
  /// The time for which the first phase measured. The stored runs do not show the time between
  /// them. Absent in sessions of older releases.
  std::optional<Nanoseconds> first_phase;
  bool operator==(const SecondPhase&) const = default;
};
BENCHD_FIELDS(SecondPhase, setup, first_phase)

/// A benchmark that was found in the programs of some arms only.
struct UnmatchedBenchmark {
  std::string name;
  std::vector<std::string> missing_in;  ///< names of the arms that lack it
  bool operator==(const UnmatchedBenchmark&) const = default;
};
BENCHD_FIELDS(UnmatchedBenchmark, name, missing_in)

/// The benchmarks that were found in the programs of one benchmark of the spec as it was submitted.
struct FoundBenchmarks {
  std::uint32_t benchmark = 0;     ///< its index in the submitted spec
  std::vector<std::string> names;  ///< of those that every arm has, in the order of the list
  std::vector<UnmatchedBenchmark> unmatched;
  /// The words of each arm's command, to which those that run one benchmark are added.
  std::vector<std::vector<std::string>> commands;
  /// The time that starting the program takes: the shortest run that only listed the benchmarks.
  std::optional<Nanoseconds> start;
  bool operator==(const FoundBenchmarks&) const = default;
};
BENCHD_FIELDS(FoundBenchmarks, benchmark, names, unmatched, commands, start)

/// The entire mutable state of a session. Watchers receive only the newest snapshot, never a
/// backlog.
struct SessionSnapshot {
  SessionId id;
  SessionState state = SessionState::kQueued;
  Timestamp submitted_at{};
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> ended_at;
  std::uint64_t position = 0;            ///< position in the queue: 1 = next; 0 = not queued
  std::optional<Nanoseconds> eta;        ///< time until the session starts, while it is queued
  std::optional<MachineReport> machine;  ///< present from the state `running` on
  std::optional<Report> report;          ///< present after the first block
  std::optional<Failure> failure;        ///< present if the session failed
  std::string cancelled_by;              ///< the user who cancelled the session: "uid 1000"
  std::optional<SetupResult> setup;      ///< present after the build and setup hooks
  /// The time for which the session has used the machine, without pauses. Absent before the session
  /// begins, and in records of benchd 0.3.0 and earlier.
  std::optional<Nanoseconds> held;
  /// What was found in the programs of benchmarks with a harness, after build and setup.
  std::vector<FoundBenchmarks> found;
  /// Present from the beginning of the second phase on. All runs of the first one are stored then.
  std::optional<SecondPhase> second_phase;
  bool operator==(const SessionSnapshot&) const = default;

  /// Returns whether the session has failed or been cancelled, even if its cleanup has not yet run.
  bool Settled() const { return failure || !cancelled_by.empty(); }
};
BENCHD_FIELDS(SessionSnapshot, id, state, submitted_at, started_at, ended_at, position, eta,
              machine, report, failure, cancelled_by, setup, held, found, second_phase)

/// A stored session: the request and its progress.
struct SessionRecord {
  SessionSpec spec;
  SessionSnapshot snapshot;
  /// The id that the client gave the request. A second request with the same id returns this
  /// session.
  std::string request_id;
  bool operator==(const SessionRecord&) const = default;
};

/// A session that had not ended when benchd stopped, read at startup.
struct StoredSession {
  std::uint64_t key = 0;  ///< key of its row; grows in the order of submission
  SessionRecord record;
};

/// The time for which an ended session used the machine.
struct MachineTime {
  std::uint32_t uid = 0;
  Timestamp end{};
  Nanoseconds held{};
  bool operator==(const MachineTime&) const = default;
};

/// The part of a session that all users may see.
struct SessionView {
  std::uint64_t key = 0;  ///< key of its row, see StoredSession
  SessionId id;
  SessionState state = SessionState::kQueued;
  std::uint32_t uid = 0;
  bool operator==(const SessionView&) const = default;
};

/// A selection of sessions, newest first.
struct SessionFilter {
  bool all = false;  ///< includes ended sessions
  std::optional<SessionState> state;
  std::map<std::string, std::string> labels;  ///< all labels must match
  std::optional<std::uint32_t> owner;         ///< only sessions of this user
  std::uint64_t before = UINT64_MAX;          ///< only sessions with a smaller key
  std::uint64_t limit = UINT64_MAX;           ///< maximum number of sessions
  bool IncludesEnded() const { return state ? IsFinal(*state) : all; }
};

/// An event of a session, as `benchctl show` prints it.
struct HistoryEntry {
  Timestamp at{};
  std::string what;  ///< "submitted by uid 1000 (pid 123)", "running", "interrupted: benchd ended"
  bool operator==(const HistoryEntry&) const = default;
};

/// All stored data of one session except its runs and its log.
struct SessionDetails {
  SessionRecord record;
  std::vector<HistoryEntry> history;  ///< oldest first
};

/// The state of the queue, which admins set. It lasts until `resume`, even across a restart.
struct QueueMode {
  bool paused = false;    ///< no session starts
  bool draining = false;  ///< submissions are rejected as well
  bool operator==(const QueueMode&) const = default;
};

/// The limits on how long ended sessions are kept. Without limits they are kept forever. The
/// session that ended last is never deleted, nor are sessions that have not ended.
struct RetentionPolicy {
  std::optional<Nanoseconds> age;               ///< maximum time since the end of a session
  std::optional<std::uint64_t> bytes;           ///< maximum total of all sessions
  std::optional<std::uint64_t> bytes_per_user;  ///< maximum total of the sessions of one user
  bool operator==(const RetentionPolicy&) const = default;
};

}  // namespace benchd
