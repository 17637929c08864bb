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
#include "daemon/config/keys.h"

/// The messages between benchd and benchd-runner: values, one SOCK_SEQPACKET record each.
///
/// The runner answers each request of benchd with the same request number. Several requests may be
/// open at once (a Resolve during a RunBatch). A request declares the type of its answer. Either
/// side treats an invalid record, or a closed socket, as the death of the other.
namespace benchd::wire {

/// The version of the protocol. It must change with any change to the fields that are sent, or to
/// their order. The lists of fields are here and beside the core's values.
inline constexpr std::uint32_t kVersion = 12;

/// The part of a machine profile that benchd needs: its name, and the CPUs that a session may
/// request.
struct ProfileSummary {
  std::string name;
  std::vector<int> cpus;
};
BENCHD_FIELDS(ProfileSummary, name, cpus)

/// The runner's answer to Hello. If the versions differ, the runner then disconnects.
struct HelloReply {
  std::uint32_t version = kVersion;
  std::int32_t pid = 0;
  bool privileged = false;  ///< can switch to other users
  std::vector<int> housekeeping_cpus;
  std::vector<int> benchmark_cpus;
  std::vector<ProfileSummary> profiles;
};
BENCHD_FIELDS(HelloReply, version, pid, privileged, housekeeping_cpus, benchmark_cpus, profiles)

/// The first record of a connection, from benchd.
struct Hello {
  using Answer = HelloReply;
  std::uint32_t version = kVersion;
};
BENCHD_FIELDS(Hello, version)

/// Looks up the program of a command as its caller would, and returns its identity.
struct Resolve {
  using Answer = Result<ProgramIdentity>;
  ProgramQuery query;
};
BENCHD_FIELDS(Resolve, query)

/// Defines a child for later runs, which the runner keeps under its number until CloseChildren.
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

/// The value of one perf_event_open(2) counter for a process tree. If the CPU has fewer counters
/// than requested, they take turns and `running_ns` is below `enabled_ns`.
struct CounterFigure {
  std::string metric;       ///< model/metric.h
  std::uint64_t value = 0;  ///< as counted, not scaled; nanoseconds for task_clock
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};
BENCHD_FIELDS(CounterFigure, metric, value, enabled_ns, running_ns)

/// The value of a metric as it was measured: nanoseconds, microseconds, bytes or a count
/// (InUnit() in model/metric.h).
struct MetricFigure {
  std::string metric;
  std::int64_t raw = 0;
};
BENCHD_FIELDS(MetricFigure, metric, raw)

/// A requested metric, and why this run lacks it.
struct MissingMetric {
  std::string metric;
  std::string why;
};
BENCHD_FIELDS(MissingMetric, metric, why)

/// The figures of a child: of the process that was started and the children it waited for (wait4),
/// unless the comment of a field states that it covers the whole tree.
struct RunFigures {
  std::int64_t started_at_ns = 0;  ///< CLOCK_REALTIME just before execve
  std::int64_t wall_time_ns = 0;   ///< CLOCK_MONOTONIC, from just before execve until reaped
  std::int64_t ended_at_ns = 0;    ///< CLOCK_MONOTONIC when reaped
  std::int64_t user_time_us = 0;
  std::int64_t system_time_us = 0;
  std::int64_t user_time_step_ns = 0;  ///< the granularity of both; 0 if unknown
  std::int64_t max_rss_bytes = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  RunExit exit;
  /// The limit that was reached, such as "exceeded its memory limit of 64 MiB"; otherwise empty.
  std::string limit;
  std::string stderr_tail;  ///< at most 4 KiB
  std::string output;       ///< OutputKind::kLog, at most 1 MiB
  /// Only with ChildSpec::check_output. Absent if a signal or the timeout ended the run, because
  /// its output then ends at an arbitrary place.
  std::optional<OutputDigest> stdout_digest;
  /// benchd-helper's result of parsing the output as the caller: an encoded ParsedOutput, opaque to
  /// the runner.
  std::string parsed;
  /// The optional metrics that this run has, except counters: bytes from and to storage; figures of
  /// the whole tree, from its control group; migrations of the process that was started; and
  /// disturbances on the run's CPUs, from its start until its end was seen.
  std::vector<MetricFigure> optional;
  std::vector<CounterFigure> counters;  ///< available counters, of the whole tree
  std::vector<MissingMetric> missing;

  /// Returns the raw figure of one of the `optional` metrics.
  std::optional<std::int64_t> Find(std::string_view metric) const;
  /// Adds or replaces the raw figure of an optional metric. Without a figure it does nothing.
  void Set(std::string_view metric, std::optional<std::int64_t> raw);
};
BENCHD_FIELDS(RunFigures, started_at_ns, wall_time_ns, ended_at_ns, user_time_us, system_time_us,
              user_time_step_ns, max_rss_bytes, minor_faults, major_faults, voluntary_switches,
              involuntary_switches, exit, limit, stderr_tail, output, stdout_digest, parsed,
              optional, counters, missing)
struct BatchFigures {
  std::vector<RunFigures> runs;  ///< the measured runs, in order
  Result<void> result;           ///< why the next run could not be measured
};
BENCHD_FIELDS(BatchFigures, runs, result)

/// Executes runs one after another, without messages in between. The batch ends early:
///
/// - after a run that could not be measured;
/// - after a failed run, with `stop_on_failure`;
/// - at the beginning of a block, if the budget is spent;
/// - after any run, if the printed output might not fit into the answer.
struct RunBatch {
  using Answer = BatchFigures;
  Batch batch;
};
BENCHD_FIELDS(RunBatch, batch)
/// Kills the run in progress; its BatchFigures follow as usual, with kCancelled. This message has
/// no separate answer.
struct CancelRun {};

/// Applies a profile's settings for a session and describes the resulting machine.
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
/// Requests the state of a profile's settings. An empty name means the profile that is held,
/// otherwise the default.
struct DescribeMachine {
  using Answer = Result<MachineStatus>;
  std::string profile;
};
BENCHD_FIELDS(DescribeMachine, profile)
/// Applies a profile's settings until RestoreMachine.
struct ApplyProfile {
  using Answer = Result<MachineStatus>;
  std::string profile;
};
BENCHD_FIELDS(ApplyProfile, profile)
struct RestoreMachine {
  using Answer = Result<MachineStatus>;
};
BENCHD_FIELDS(RestoreMachine)
/// Looks for sources of noise; the answer takes one second.
struct DiagnoseMachine {
  using Answer = Result<std::vector<NoiseSource>>;
};
BENCHD_FIELDS(DiagnoseMachine)

using Message = std::variant<Hello, HelloReply, Resolve, OpenChild, CloseChildren, RunBatch,
                             CancelRun, AcquireMachine, ReleaseMachine, DescribeMachine,
                             ApplyProfile, RestoreMachine, DiagnoseMachine, Result<ProgramIdentity>,
                             Result<void>, BatchFigures, Result<MachineReport>, MachineEnd,
                             Result<MachineStatus>, Result<std::vector<NoiseSource>>>;

/// Returns the index of a type among the messages.
template <typename T, std::size_t Index = 0>
constexpr std::size_t IndexOf() {
  if constexpr (std::is_same_v<T, std::variant_alternative_t<Index, Message>>) {
    return Index;
  } else {
    return IndexOf<T, Index + 1>();
  }
}

/// A message with the number of its request; 0 for the greeting and for messages without an answer.
struct Record {
  std::uint64_t request = 0;
  Message message;
};

/// Encodes one record: a type byte, the request number and the fields, little endian, lengths
/// before contents. A greeting has no request number, so that any two versions understand each
/// other's greeting.
std::string Encode(const Message& message, std::uint64_t request = 0);

/// Decodes one record; never reads past its end.
/// @errors kInvalidArgument for bytes that Encode() cannot have produced.
Result<Record> Decode(std::string_view bytes);

/// The parsed samples of one run, or the reason for their absence; written by benchd-helper. If the
/// run listed the benchmarks of a harness, their names instead of samples.
struct ParsedOutput {
  Result<void> result;
  std::vector<Sample> samples;
  std::vector<MetricInfo> metrics;
  std::vector<InnerExit> exits;  ///< of the programs that the harness ran, unless 0
  std::vector<std::string> names;
};
BENCHD_FIELDS(ParsedOutput, result, samples, metrics, exits, names)
std::string EncodeParsedOutput(const ParsedOutput& output);
Result<ParsedOutput> DecodeParsedOutput(std::string_view bytes);

/// What benchd-helper answers for the outputs of several runs.
struct ParsedOutputs {
  std::vector<std::string> each;  ///< encoded ParsedOutputs, opaque to the runner
};
BENCHD_FIELDS(ParsedOutputs, each)
std::string EncodeParsedOutputs(const ParsedOutputs& outputs);
Result<ParsedOutputs> DecodeParsedOutputs(std::string_view bytes);

/// Encodes the answer to a Resolve, which benchd-helper writes.
std::string EncodeResolved(const Result<ProgramIdentity>& resolved);
Result<Result<ProgramIdentity>> DecodeResolved(std::string_view bytes);

/// The entries of a uid in the machine's user database, and the gid of the group that may open the
/// control socket; written by benchd-helper.
struct UserRecord {
  bool known = false;  ///< whether the user exists; if not, ignore the next three
  std::string name;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
  std::optional<std::uint32_t> socket_gid;  ///< absent if the group does not exist
};
BENCHD_FIELDS(UserRecord, known, name, gid, groups, socket_gid)
std::string EncodeUserRecord(const Result<UserRecord>& record);
Result<Result<UserRecord>> DecodeUserRecord(std::string_view bytes);

/// The part of the configuration that concerns the runner; written by benchd-helper.
std::string EncodeRunnerConfig(const Result<RunnerConfig>& config);
Result<Result<RunnerConfig>> DecodeRunnerConfig(std::string_view bytes);

}  // namespace benchd::wire
