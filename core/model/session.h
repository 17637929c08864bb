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

/// Done, failed and cancelled are final: nothing about such a session changes again.
inline bool IsFinal(SessionState state) {
  return state == SessionState::kDone || state == SessionState::kFailed ||
         state == SessionState::kCancelled;
}

/// One machine setting as it stands while a session runs.
struct SettingState {
  std::string setting;  ///< "cpuset", "governor", ...
  std::string wanted;
  std::string actual;
  bool held = false;   ///< true when `actual` is what was wanted and benchd keeps it so
  std::string why;     ///< when not held: the reason
  std::string at_end;  ///< the actual value when the session ended, before it was given back
  bool operator==(const SettingState&) const = default;
};
BENCHD_FIELDS(SettingState, setting, wanted, actual, held, why, at_end)

/// The machine as a record: facts in the order they are shown ("kernel" -> "6.1.0", "cpu" -> ...).
struct Environment {
  std::vector<std::pair<std::string, std::string>> facts;
  bool operator==(const Environment&) const = default;
};
BENCHD_FIELDS(Environment, facts)

/// The value of the fact of that name, or nullptr.
inline const std::string* FactOf(const Environment& environment, std::string_view wanted) {
  for (const auto& [name, value] : environment.facts) {
    if (name == wanted) return &value;
  }
  return nullptr;
}

/// What a session wants of the machine.
struct MachineRequest {
  std::string profile;
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;                       ///< CPU list, empty = the profile's
  std::vector<std::string> settings_off;  ///< of the profile's, left as they are
};
BENCHD_FIELDS(MachineRequest, profile, isolation, cpus, settings_off)

/// What the machine gave to a session.
struct MachineReport {
  Environment environment;
  std::vector<SettingState> isolation;
  std::vector<int> benchmark_cpus;
  std::vector<int> housekeeping_cpus;
  bool user_mode = false;  ///< the daemon is one user's, and changes no setting of the machine
  bool operator==(const MachineReport&) const = default;
};
BENCHD_FIELDS(MachineReport, environment, isolation, benchmark_cpus, housekeeping_cpus, user_mode)

/// What the end of a session tells of the machine: how the settings stood then, in the order of
/// MachineReport::isolation, and what happened meanwhile.
struct MachineEnd {
  std::vector<std::string> at_end;
  std::vector<Warning> warnings;
  bool operator==(const MachineEnd&) const = default;
};
BENCHD_FIELDS(MachineEnd, at_end, warnings)

/// How the machine stands at the moment.
struct MachineStatus {
  std::string profile;  ///< whose settings these are
  std::string holder;   ///< who holds them: "session", "apply", "daemon"; empty = nobody
  Environment environment;
  std::vector<SettingState> settings;
  std::vector<int> benchmark_cpus;
  std::vector<int> housekeeping_cpus;
  std::vector<std::string> notes;  ///< sentences: what was left alone, what cannot be done here
  bool operator==(const MachineStatus&) const = default;
};
BENCHD_FIELDS(MachineStatus, profile, holder, environment, settings, benchmark_cpus,
              housekeeping_cpus, notes)

/// Something that makes measurements on this machine noisier than they need be.
struct NoiseSource {
  std::string name;
  std::string finding;           ///< a sentence with the figures that were read
  std::string advice;            ///< what to do about it
  std::optional<double> effect;  ///< measured: the share of CPU time that it took, a fraction
  bool operator==(const NoiseSource&) const = default;
};
BENCHD_FIELDS(NoiseSource, name, finding, advice, effect)

struct ArmRuns {
  std::string benchmark;
  std::string arm;
  std::uint64_t runs = 0;  ///< measured ones
  bool operator==(const ArmRuns&) const = default;
};
BENCHD_FIELDS(ArmRuns, benchmark, arm, runs)

enum class Basis { kInterval, kEstimate };
BENCHD_NAMES(Basis, "interval", "estimate")

/// Where a session stands after a block; the last one carries the verdict.
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

/// The run in which a session failed, as far as one is to blame.
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

/// What a failing stage hands upwards: the error and, where a run caused it, which.
struct Failure {
  Error error;
  std::optional<FailedRun> run;
  /// The machine could not be had as asked (strict isolation): nothing was run.
  bool refused = false;
  bool operator==(const Failure&) const = default;
};
BENCHD_FIELDS(Failure, error, run, refused)

/// What build and setup left: they have run, and these are the arms' programs since, by benchmark
/// and arm.
struct SetupResult {
  std::vector<ProgramIdentity> programs;
  std::vector<Warning> warnings;  ///< that the build had for the verdict
  bool operator==(const SetupResult&) const = default;
};
BENCHD_FIELDS(SetupResult, programs, warnings)

/// Everything that changes about a session, in one value: watchers get the newest, never a backlog.
struct SessionSnapshot {
  SessionId id;
  SessionState state = SessionState::kQueued;
  Timestamp submitted_at{};
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> ended_at;
  std::uint64_t position = 0;            ///< in the queue, 1 = next; 0 when not queued
  std::optional<Nanoseconds> eta;        ///< until it starts, while queued
  std::optional<MachineReport> machine;  ///< from `running` on
  std::optional<Report> report;          ///< from the first block on
  std::optional<Failure> failure;        ///< failed
  std::string cancelled_by;              ///< cancelled: "uid 1000"
  std::optional<SetupResult> setup;      ///< with build or setup hooks, since they have run
  /// For how long it has had the machine, pauses not counted; absent before it begins, and in
  /// records of benchd 0.3.0 and before.
  std::optional<Nanoseconds> held;
  bool operator==(const SessionSnapshot&) const = default;

  /// Whether it has failed or been cancelled, be it that cleanup is still to come.
  bool Settled() const { return failure || !cancelled_by.empty(); }
};
BENCHD_FIELDS(SessionSnapshot, id, state, submitted_at, started_at, ended_at, position, eta,
              machine, report, failure, cancelled_by, setup, held)

/// A session as it is kept: what was asked, and how far it came.
struct SessionRecord {
  SessionSpec spec;
  SessionSnapshot snapshot;
  /// The client's own id of the request: the same one again is the same session, not a second.
  std::string request_id;
  bool operator==(const SessionRecord&) const = default;
};

/// What is known of a session without reading it whole: who may see it, and when it had the
/// machine.
struct SessionHead {
  SessionId id;
  std::string request_id;
  std::uint32_t uid = 0;
  SessionState state = SessionState::kQueued;
  std::map<std::string, std::string> labels;
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> ended_at;
  Nanoseconds max_time{};
  std::optional<Nanoseconds> held;  ///< SessionSnapshot::held
  bool operator==(const SessionHead&) const = default;
};

inline SessionHead HeadOf(const SessionRecord& record) {
  const auto& [spec, snapshot, request_id] = record;
  return {snapshot.id,         request_id,        spec.caller.uid,      snapshot.state, spec.labels,
          snapshot.started_at, snapshot.ended_at, spec.limits.max_time, snapshot.held};
}

/// A session as benchd finds it at its start: of one that has ended, the record stays in the store.
struct StoredSession {
  SessionHead head;
  std::optional<SessionRecord> record;
};

/// One thing that happened to a session, as `show` tells it.
struct HistoryEntry {
  Timestamp at{};
  std::string what;  ///< "submitted by uid 1000 (pid 123)", "running", "interrupted: benchd ended"
  bool operator==(const HistoryEntry&) const = default;
};

/// What admins asked of the queue; lasts until `resume`, also over a restart.
struct QueueMode {
  bool paused = false;    ///< no further session starts
  bool draining = false;  ///< nor is one taken
  bool operator==(const QueueMode&) const = default;
};

/// How long ended sessions are kept; nothing set: for ever. Sessions that have not ended are never
/// deleted, nor is the one that ended last.
struct RetentionPolicy {
  std::optional<Nanoseconds> age;               ///< since the end
  std::optional<std::uint64_t> bytes;           ///< of all sessions together
  std::optional<std::uint64_t> bytes_per_user;  ///< of the sessions of one uid
  bool operator==(const RetentionPolicy&) const = default;
};

}  // namespace benchd
