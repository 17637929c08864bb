#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/machine_profile.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

/// What benchd and benchd-runner say to each other: values, one SOCK_SEQPACKET record each.
///
/// benchd asks, the runner answers with the same request number; several requests may be open at
/// once (a Resolve during a RunBatch). A question names the type of its answer. Either side treats
/// a record it cannot decode, or a closed socket, as the death of the other.
namespace benchd::wire {

/// Changes with every list of fields that travels, here or beside the core's values, and with their
/// order.
inline constexpr std::uint32_t kVersion = 9;

/// A machine profile as benchd needs to know it: its name, and the CPUs that a session may ask for.
struct ProfileSummary {
  std::string name;
  std::vector<int> cpus;
};
BENCHD_FIELDS(ProfileSummary, name, cpus)

/// The runner's answer to Hello; it hangs up after it when the versions differ.
struct HelloReply {
  std::uint32_t version = kVersion;
  std::int32_t pid = 0;
  bool privileged = false;  ///< may become other users
  std::vector<int> housekeeping_cpus;
  std::vector<int> benchmark_cpus;
  std::vector<ProfileSummary> profiles;
};
BENCHD_FIELDS(HelloReply, version, pid, privileged, housekeeping_cpus, benchmark_cpus, profiles)

/// First record of a connection, from benchd.
struct Hello {
  using Answer = HelloReply;
  std::uint32_t version = kVersion;
};
BENCHD_FIELDS(Hello, version)

/// Find the program of a command as its caller would, and take its identity.
struct Resolve {
  using Answer = Result<ProgramIdentity>;
  ProgramQuery query;
};
BENCHD_FIELDS(Resolve, query)

/// A child as it will be executed; kept under its number until CloseChildren.
struct OpenChild {
  using Answer = Result<void>;
  std::uint32_t number = 0;
  ChildSpec child;
};
BENCHD_FIELDS(OpenChild, number, child)
struct CloseChildren {
  using Answer = Result<void>;
};
BENCHD_FIELDS(CloseChildren)

/// What one counter of perf_event_open(2) says of a process tree. When the CPU has fewer counters
/// than were asked for they take turns: then `running_ns` is below `enabled_ns`.
struct CounterFigure {
  std::string metric;       ///< model/metric.h
  std::uint64_t value = 0;  ///< as it was counted, not scaled; nanoseconds for task_clock
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};
BENCHD_FIELDS(CounterFigure, metric, value, enabled_ns, running_ns)

/// A metric that was asked for, and why this run has none.
struct MissingMetric {
  std::string metric;
  std::string why;
};
BENCHD_FIELDS(MissingMetric, metric, why)

/// A child's figures, of the process that was started and the children it waited for (wait4),
/// unless they are said to be the whole tree's.
struct RunFigures {
  std::int64_t started_at_ns = 0;  ///< CLOCK_REALTIME just before execve
  std::int64_t wall_time_ns = 0;   ///< CLOCK_MONOTONIC, from just before execve to reaped
  std::int64_t ended_at_ns = 0;    ///< CLOCK_MONOTONIC when reaped
  std::int64_t user_time_us = 0;
  std::int64_t system_time_us = 0;
  std::int64_t user_time_step_ns = 0;  ///< how finely both are divided; 0 = not known
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
  /// What disturbed it on its CPUs, from when it was let go until its end was seen.
  std::optional<std::int64_t> interrupts;
  std::optional<std::int64_t> stolen_us;
  std::optional<std::int64_t> foreign_switches;
  std::optional<std::int64_t> migrations;  ///< of the process that was started
  std::vector<MissingMetric> missing;
};
BENCHD_FIELDS(RunFigures, started_at_ns, wall_time_ns, ended_at_ns, user_time_us, system_time_us,
              user_time_step_ns, max_rss_bytes, minor_faults, major_faults, voluntary_switches,
              involuntary_switches, exit, limit, stderr_tail, output, parsed, read_bytes,
              write_bytes, tree_cpu_time_us, tree_memory_peak_bytes, counters, interrupts,
              stolen_us, foreign_switches, migrations, missing)
struct BatchFigures {
  std::vector<RunFigures> runs;  ///< those that were measured, in order
  Result<void> result;           ///< why the one after them could not be
};
BENCHD_FIELDS(BatchFigures, runs, result)

/// Run these one after the other, without a word between them. Ends early after a run that could
/// not be measured; with `stop_on_failure` after one that failed; where a block begins once the
/// budget is spent; and anywhere once what was printed might not fit into the answer.
struct RunBatch {
  using Answer = BatchFigures;
  Batch batch;
};
BENCHD_FIELDS(RunBatch, batch)
/// Kills the run under way; its BatchFigures come as usual, with kCancelled. No answer of its own.
struct CancelRun {};

/// Take a profile's settings for a session, and describe the machine as it then is.
struct AcquireMachine {
  using Answer = Result<MachineReport>;
  MachineRequest machine;
};
BENCHD_FIELDS(AcquireMachine, machine)
BENCHD_FIELDS(CancelRun)
struct ReleaseMachine {
  using Answer = MachineEnd;
};
BENCHD_FIELDS(ReleaseMachine)
/// How a profile's settings stand; empty = the one that is held, else the default.
struct DescribeMachine {
  using Answer = Result<MachineStatus>;
  std::string profile;
};
BENCHD_FIELDS(DescribeMachine, profile)
/// Take a profile's settings until RestoreMachine.
struct ApplyProfile {
  using Answer = Result<MachineStatus>;
  std::string profile;
};
BENCHD_FIELDS(ApplyProfile, profile)
struct RestoreMachine {
  using Answer = Result<MachineStatus>;
};
BENCHD_FIELDS(RestoreMachine)
/// Look for noise; answered after a second.
struct DiagnoseMachine {
  using Answer = Result<std::vector<NoiseSource>>;
};
BENCHD_FIELDS(DiagnoseMachine)

using Message = std::variant<Hello, HelloReply, Resolve, OpenChild, CloseChildren, RunBatch,
                             CancelRun, AcquireMachine, ReleaseMachine, DescribeMachine,
                             ApplyProfile, RestoreMachine, DiagnoseMachine, Result<ProgramIdentity>,
                             Result<void>, BatchFigures, Result<MachineReport>, MachineEnd,
                             Result<MachineStatus>, Result<std::vector<NoiseSource>>>;

/// The place of a type among the messages.
template <typename T, std::size_t Index = 0>
constexpr std::size_t IndexOf() {
  if constexpr (std::is_same_v<T, std::variant_alternative_t<Index, Message>>) {
    return Index;
  } else {
    return IndexOf<T, Index + 1>();
  }
}

/// A message under the number of its request; 0 is the greeting's, and of what is not answered.
struct Record {
  std::uint64_t request = 0;
  Message message;
};

/// One record: a type byte, the request and the fields, little endian, lengths before contents. A
/// greeting has no request: builds of any two versions understand each other's.
std::string Encode(const Message& message, std::uint64_t request = 0);

/// @errors kInvalidArgument for anything Encode cannot have produced; never reads past the end.
Result<Record> Decode(std::string_view bytes);

/// What benchd-helper writes: the parsed samples of one run, or why there are none.
struct ParsedOutput {
  Result<void> result;
  std::vector<Sample> samples;
  std::vector<MetricInfo> metrics;
  std::vector<InnerExit> exits;  ///< of what the harness ran, where not 0
};
BENCHD_FIELDS(ParsedOutput, result, samples, metrics, exits)
std::string EncodeParsedOutput(const ParsedOutput& output);
Result<ParsedOutput> DecodeParsedOutput(std::string_view bytes);

/// What benchd-helper writes for a Resolve.
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
BENCHD_FIELDS(UserRecord, known, name, gid, groups, socket_gid)
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
BENCHD_FIELDS(RunnerConfig, user, socket_group, allow_root, users, benchmark_cpus, counters,
              profiles, children)
std::string EncodeRunnerConfig(const Result<RunnerConfig>& config);
Result<Result<RunnerConfig>> DecodeRunnerConfig(std::string_view bytes);

}  // namespace benchd::wire
