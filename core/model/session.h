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
#include "core/model/findings.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "core/model/warning.h"

namespace benchd {

enum class SessionState { kQueued, kPreparing, kRunning, kPaused, kDone, kFailed, kCancelled };
BENCHD_NAMES(SessionState, "queued", "preparing", "running", "paused", "done", "failed",
             "cancelled")

/// Whether the state is done, failed or cancelled. Such a session never changes again.
inline bool IsFinal(SessionState state) {
  return state == SessionState::kDone || state == SessionState::kFailed ||
         state == SessionState::kCancelled;
}

/// The state of one machine setting while a session runs.
struct SettingState {
  std::string setting;  ///< "cpuset", "governor", ...
  std::string wanted;
  std::string actual;
  bool held = false;   ///< `actual` is as wanted, and benchd keeps it so
  std::string why;     ///< the reason, if not held
  std::string at_end;  ///< the actual value when the session ended, before it was restored
  bool operator==(const SettingState&) const = default;
};
BENCHD_FIELDS(SettingState, setting, wanted, actual, held, why, at_end)

/// A description of the machine: facts in display order ("kernel" -> "6.1.0", "cpu" -> ...).
struct Environment {
  std::vector<std::pair<std::string, std::string>> facts;
  bool operator==(const Environment&) const = default;
};
BENCHD_FIELDS(Environment, facts)

/// The value of the fact with that name, or nullptr.
inline const std::string* FactOf(const Environment& environment, std::string_view wanted) {
  for (const auto& [name, value] : environment.facts) {
    if (name == wanted) return &value;
  }
  return nullptr;
}

/// What a session requires of the machine.
struct MachineRequest {
  std::string profile;
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;                       ///< CPU list, empty = the profile's
  std::vector<std::string> settings_off;  ///< settings of the profile to leave unchanged
};
BENCHD_FIELDS(MachineRequest, profile, isolation, cpus, settings_off)

/// What a session received from the machine.
struct MachineReport {
  Environment environment;
  std::vector<SettingState> isolation;
  std::vector<int> benchmark_cpus;
  std::vector<int> housekeeping_cpus;
  bool user_mode = false;  ///< the daemon is one user's, and changes no setting of the machine
  bool operator==(const MachineReport&) const = default;
};
BENCHD_FIELDS(MachineReport, environment, isolation, benchmark_cpus, housekeeping_cpus, user_mode)

/// The state of the machine at the end of a session: the settings, in the order of
/// MachineReport::isolation, and warnings about events during the session.
struct MachineEnd {
  std::vector<std::string> at_end;
  std::vector<Warning> warnings;
  bool operator==(const MachineEnd&) const = default;
};
BENCHD_FIELDS(MachineEnd, at_end, warnings)

/// The current state of the machine.
struct MachineStatus {
  std::string profile;  ///< source of these settings
  std::string holder;   ///< "session", "apply", "daemon"; empty = the settings are not held
  Environment environment;
  std::vector<SettingState> settings;
  std::vector<int> benchmark_cpus;
  std::vector<int> housekeeping_cpus;
  std::vector<std::string> notes;  ///< sentences: settings left unchanged, and unavailable features
  bool operator==(const MachineStatus&) const = default;
};
BENCHD_FIELDS(MachineStatus, profile, holder, environment, settings, benchmark_cpus,
              housekeeping_cpus, notes)

/// A condition that makes measurements on this machine noisier than necessary.
struct NoiseSource {
  std::string name;
  std::string finding;           ///< a sentence with the figures found
  std::string advice;            ///< what to do about it
  std::optional<double> effect;  ///< the measured share of CPU time that it takes, a fraction
  bool operator==(const NoiseSource&) const = default;
};
BENCHD_FIELDS(NoiseSource, name, finding, advice, effect)

struct ArmRuns {
  std::string benchmark;
  std::string arm;
  std::uint64_t runs = 0;  ///< number of measured runs
  bool operator==(const ArmRuns&) const = default;
};
BENCHD_FIELDS(ArmRuns, benchmark, arm, runs)

enum class Basis { kInterval, kEstimate };
BENCHD_NAMES(Basis, "interval", "estimate")

/// The state of a session after a block; the last report has the verdict.
struct Report {
  Verdict verdict = Verdict::kUndecided;
  Basis basis = Basis::kInterval;
  Nanoseconds elapsed{};  ///< since the first measured run
  std::optional<Nanoseconds> eta;
  std::uint64_t disturbances = 0;
  std::vector<ArmRuns> runs;
  std::vector<Comparison> comparisons;
  std::vector<Warning> warnings;
  std::vector<SuiteChange> geometric_means;  ///< of a suite
  /// Until the session's time limit, while no `eta` can be given for a gate that has an interval.
  std::optional<Nanoseconds> time_left;
  // These need every run: a session has them when it is done.
  std::vector<ArmOrder> orders;
  std::vector<WorstRun> worst_runs;
  bool operator==(const Report&) const = default;
};
BENCHD_FIELDS(Report, verdict, basis, elapsed, eta, disturbances, runs, comparisons, warnings,
              geometric_means, time_left, orders, worst_runs)

/// The run that made a session fail, if there is one.
struct FailedRun {
  std::string benchmark;
  std::string arm;
  std::uint64_t block = 0;
  RunPhase phase = RunPhase::kMeasured;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string stderr_tail;
  std::string commit;  ///< whose build failed, where the build is benchctl's own
  bool operator==(const FailedRun&) const = default;
};
BENCHD_FIELDS(FailedRun, benchmark, arm, block, phase, exit_code, signal, stderr_tail, commit)

/// The error of a stage, with the run that caused it, if there is one.
struct Failure {
  Error error;
  std::optional<FailedRun> run;
  /// The machine could not be provided as requested (strict isolation), so nothing was run.
  bool refused = false;
  bool operator==(const Failure&) const = default;
};
BENCHD_FIELDS(Failure, error, run, refused)

/// The result of build and setup: the arms' programs afterwards, in order of benchmark and arm.
struct SetupResult {
  std::vector<ProgramIdentity> programs;
  std::vector<Warning> warnings;  ///< warnings of the build about the verdict
  bool operator==(const SetupResult&) const = default;
};
BENCHD_FIELDS(SetupResult, programs, warnings)

/// All of a session's mutable state in one value. Watchers get the newest one, never a backlog.
struct SessionSnapshot {
  SessionId id;
  SessionState state = SessionState::kQueued;
  Timestamp submitted_at{};
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> ended_at;
  std::uint64_t position = 0;            ///< in the queue, 1 = next; 0 when not queued
  std::optional<Nanoseconds> eta;        ///< until it starts, while queued
  std::optional<MachineReport> machine;  ///< since `running`
  std::optional<Report> report;          ///< since the first block
  std::optional<Failure> failure;        ///< failed
  std::string cancelled_by;              ///< cancelled: "uid 1000"
  std::optional<SetupResult> setup;      ///< set after build and setup hooks have run
  /// How long the session has had the machine, without pauses; absent before it begins, and in
  /// records of benchd 0.3.0 and earlier.
  std::optional<Nanoseconds> held;
  bool operator==(const SessionSnapshot&) const = default;

  /// Whether it has failed or been cancelled, even if its cleanup has not yet run.
  bool Settled() const { return failure || !cancelled_by.empty(); }
};
BENCHD_FIELDS(SessionSnapshot, id, state, submitted_at, started_at, ended_at, position, eta,
              machine, report, failure, cancelled_by, setup, held)

/// A session as stored: the request and its progress.
struct SessionRecord {
  SessionSpec spec;
  SessionSnapshot snapshot;
  /// The client's own id of the request. A second request with this id returns this session.
  std::string request_id;
  bool operator==(const SessionRecord&) const = default;
};

/// A session that has not ended, found at startup.
struct StoredSession {
  std::uint64_t key = 0;  ///< of its row; grows in the order of submission
  SessionRecord record;
};

/// How long an ended session had the machine.
struct MachineTime {
  std::uint32_t uid = 0;
  Timestamp end{};
  Nanoseconds held{};
  bool operator==(const MachineTime&) const = default;
};

/// A session as everybody may see it.
struct SessionView {
  std::uint64_t key = 0;  ///< see StoredSession
  SessionId id;
  SessionState state = SessionState::kQueued;
  std::uint32_t uid = 0;
  bool operator==(const SessionView&) const = default;
};

/// Selects sessions, the newest first.
struct SessionFilter {
  bool all = false;  ///< ended ones too
  std::optional<SessionState> state;
  std::map<std::string, std::string> labels;  ///< all must match
  std::optional<std::uint32_t> owner;         ///< only this user's
  std::uint64_t before = UINT64_MAX;          ///< only those with a smaller key
  std::uint64_t limit = UINT64_MAX;           ///< how many at most
  bool IncludesEnded() const { return state ? IsFinal(*state) : all; }
};

/// One event of a session, as `show` prints it.
struct HistoryEntry {
  Timestamp at{};
  std::string what;  ///< "submitted by uid 1000 (pid 123)", "running", "interrupted: benchd ended"
  bool operator==(const HistoryEntry&) const = default;
};

/// Everything that is stored of one session, apart from its runs and its log.
struct SessionDetails {
  SessionRecord record;
  std::vector<HistoryEntry> history;  ///< oldest first
};

/// The state of the queue, as set by admins; lasts until `resume`, even across a restart.
struct QueueMode {
  bool paused = false;    ///< no further session starts
  bool draining = false;  ///< no submission is accepted either
  bool operator==(const QueueMode&) const = default;
};

/// How long ended sessions are kept; forever if nothing is set. The session that ended last and
/// sessions that have not ended are never deleted.
struct RetentionPolicy {
  std::optional<Nanoseconds> age;               ///< since the session's end
  std::optional<std::uint64_t> bytes;           ///< total for all sessions
  std::optional<std::uint64_t> bytes_per_user;  ///< total for the sessions of one uid
  bool operator==(const RetentionPolicy&) const = default;
};

}  // namespace benchd
