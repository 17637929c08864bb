#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/machine_profile.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

/// What benchd and benchd-runner say to each other: values, one SOCK_SEQPACKET record each.
///
/// benchd asks, the runner answers with the same `request` number; several requests may be open at
/// once (a ResolveProgram during StartRuns). Either side treats a record it cannot decode, or a
/// closed socket, as the death of the other.
namespace benchd::wire {

inline constexpr std::uint32_t kVersion = 7;

/// First record of a connection, from benchd.
struct Hello {
  std::uint32_t version = kVersion;
};

/// A machine profile as benchd needs to know it: its name, and the CPUs that a session may ask for.
struct ProfileSummary {
  std::string name;
  std::vector<int> cpus;
};

/// The runner's answer; it hangs up after it when the versions differ.
struct HelloReply {
  std::uint32_t version = kVersion;
  std::int32_t pid = 0;
  bool privileged = false;  ///< may become other users
  std::vector<int> housekeeping_cpus;
  std::vector<int> benchmark_cpus;
  std::vector<ProfileSummary> profiles;
};

/// Find the program of a command as its caller would, and take its identity.
struct ResolveProgram {
  std::uint64_t request = 0;
  Caller caller;
  std::string program;  ///< argv[0]
  std::string path;     ///< the caller's PATH
  std::string cwd;
};
struct ProgramResolved {
  std::uint64_t request = 0;
  Result<ProgramIdentity> program = ProgramIdentity{};
};

/// A child as it will be executed; kept under `child` until CloseChildren.
struct OpenChild {
  std::uint64_t request = 0;
  std::uint32_t child = 0;
  Caller caller;
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< NAME=VALUE
  std::string cwd;
  std::string input;  ///< empty = /dev/null
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;  ///< empty = none
  std::vector<int> cpus;
  ProgramIdentity program;
  /// Of the metrics that not every machine has (model/metric.h) those that must be had: without
  /// them the child is refused.
  std::vector<std::string> metrics;
};
struct CloseChildren {
  std::uint64_t request = 0;
};
/// Answer to OpenChild and CloseChildren.
struct Done {
  std::uint64_t request = 0;
  Result<void> result;
};

/// One run that is to come.
struct PlannedStart {
  std::uint32_t child = 0;
  std::uint32_t padding_bytes = 0;
  bool begins_block = true;
  /// NAME=VALUE, beside the child's own; for hooks, which are told the block.
  std::vector<std::string> variables;
};
/// Run these one after the other, without a word between them. Ends early after a run that could
/// not be measured; with `stop_on_failure` after one that failed; where a block begins once
/// `budget_ns` have passed; and anywhere once what was printed might not fit into the answer.
struct StartRuns {
  std::uint64_t request = 0;
  std::int64_t timeout_ns = 0;  ///< of one run
  std::int64_t budget_ns = 0;
  bool stop_on_failure = true;
  std::vector<PlannedStart> runs;
  std::optional<PlannedStart> next;  ///< what will probably follow: a hint, to prepare its child
};
/// Kills the run under way; its RunsFinished comes as usual, with kCancelled. No answer of its own.
struct CancelRun {};

/// What one counter of perf_event_open(2) says of a process tree. When the CPU has fewer counters
/// than were asked for they take turns: then `running_ns` is below `enabled_ns`.
struct CounterFigure {
  std::string metric;       ///< model/metric.h
  std::uint64_t value = 0;  ///< as it was counted, not scaled; nanoseconds for task_clock
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

/// A metric that was asked for, and why this run has none.
struct MissingMetric {
  std::string metric;
  std::string why;
};

/// A child's figures, of the process that was started and the children it waited for (wait4),
/// unless they are said to be the whole tree's.
struct RunFigures {
  std::int64_t started_at_ns = 0;  ///< CLOCK_REALTIME just before execve
  std::int64_t wall_time_ns = 0;   ///< CLOCK_MONOTONIC, from just before execve to reaped
  std::int64_t ended_at_ns = 0;    ///< CLOCK_MONOTONIC when reaped
  std::int64_t user_time_us = 0;
  std::int64_t system_time_us = 0;
  std::int64_t max_rss_bytes = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  RunExit exit;
  /// Which limit it ran into, such as "exceeded its memory limit of 64 MiB"; empty = into none.
  std::string limit;
  std::string stderr_tail;  ///< at most 4 KiB
  std::string output;       ///< OutputKind::kLog, at most 1 MiB
  /// What benchd-helper made of stdout as the caller: an encoded ParsedOutput, opaque to the
  /// runner.
  std::string parsed;
  std::optional<std::int64_t> read_bytes;   ///< from storage; absent: the kernel does not count
  std::optional<std::int64_t> write_bytes;  ///< likewise, to storage
  /// Of the whole tree, by its control group; absent without one.
  std::optional<std::int64_t> tree_cpu_time_us;
  std::optional<std::int64_t> tree_memory_peak_bytes;
  std::vector<CounterFigure> counters;  ///< of the whole tree; those there are
  std::vector<MissingMetric> missing;
};
struct RunsFinished {
  std::uint64_t request = 0;
  std::vector<RunFigures> runs;  ///< those that were measured, in order
  Result<void> result;           ///< why the one after them could not be
};

/// Take a profile's settings for a session, and describe the machine as it then is.
struct AcquireMachine {
  std::uint64_t request = 0;
  std::string profile;
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;
};
struct MachineAcquired {
  std::uint64_t request = 0;
  Result<MachineReport> machine = MachineReport{};
};
struct ReleaseMachine {
  std::uint64_t request = 0;
};
struct MachineReleased {
  std::uint64_t request = 0;
  MachineEnd end;
};
/// How a profile's settings stand; empty = the one that is held, else the default.
struct DescribeMachine {
  std::uint64_t request = 0;
  std::string profile;
};
/// Take a profile's settings until RestoreMachine.
struct ApplyProfile {
  std::uint64_t request = 0;
  std::string profile;
};
struct RestoreMachine {
  std::uint64_t request = 0;
};
/// Answer to the three above.
struct MachineDescribed {
  std::uint64_t request = 0;
  Result<MachineStatus> status = MachineStatus{};
};
/// Look for noise; answered after a second.
struct DiagnoseMachine {
  std::uint64_t request = 0;
};
struct MachineDiagnosed {
  std::uint64_t request = 0;
  Result<std::vector<NoiseSource>> sources = std::vector<NoiseSource>{};
};

using Message =
    std::variant<Hello, HelloReply, ResolveProgram, ProgramResolved, OpenChild, CloseChildren, Done,
                 StartRuns, CancelRun, RunsFinished, AcquireMachine, MachineAcquired,
                 ReleaseMachine, MachineReleased, DescribeMachine, ApplyProfile, RestoreMachine,
                 MachineDescribed, DiagnoseMachine, MachineDiagnosed>;

/// One record: a type byte and the fields, little endian, lengths before contents.
std::string Encode(const Message& message);

/// @errors kInvalidArgument for anything Encode cannot have produced; never reads past the end.
Result<Message> Decode(std::string_view record);

/// What benchd-helper writes: the parsed samples of one run, or why there are none.
struct ParsedOutput {
  Result<void> result;
  std::vector<Sample> samples;
  std::vector<MetricInfo> metrics;
};
std::string EncodeParsedOutput(const ParsedOutput& output);
Result<ParsedOutput> DecodeParsedOutput(std::string_view bytes);

/// What benchd-helper writes for ResolveProgram.
std::string EncodeResolved(const Result<ProgramIdentity>& resolved);
Result<Result<ProgramIdentity>> DecodeResolved(std::string_view bytes);

/// What benchd-helper writes about a uid: what the machine's user database says of it, and of the
/// group that may open the control socket.
struct UserRecord {
  bool known = false;  ///< there is such a user; else the next three say nothing
  std::string name;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
  std::optional<std::uint32_t> socket_gid;  ///< absent: there is no such group
};
std::string EncodeUserRecord(const Result<UserRecord>& record);
Result<Result<UserRecord>> DecodeUserRecord(std::string_view bytes);

/// What benchd-helper writes for what the configuration says to the runner.
struct RunnerConfig {
  std::string user;                ///< who may connect: a name or a number; empty = the default
  std::string socket_group;        ///< whose members children may be; empty = the default
  bool allow_root = false;         ///< children may be uid 0
  std::vector<std::string> users;  ///< names or numbers: children may be these, too
  std::string benchmark_cpus;      ///< CPU list; empty = the default split
  bool counters = false;           ///< counters are opened for every run, asked for or not
  /// Those of the file; `default` and `strict` exist in any case.
  std::vector<MachineProfile> profiles;
  ChildLimits children;
};
std::string EncodeRunnerConfig(const Result<RunnerConfig>& config);
Result<Result<RunnerConfig>> DecodeRunnerConfig(std::string_view bytes);

}  // namespace benchd::wire
