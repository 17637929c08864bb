#pragma once

#include <concepts>

#include "daemon/wire/codec.h"
#include "daemon/wire/messages.h"

/// The fields of everything that travels, in their order on the wire: the one list that Writer and
/// Reader both walk. Changing it changes kVersion.
namespace benchd {

/// `T` or `const T`: the writer walks constant values, the reader others.
template <typename T, typename Wanted>
concept Is = std::same_as<std::remove_const_t<T>, Wanted>;

void VisitFields(auto& visit, Is<ResourceLimit> auto& v) { visit(v.resource, v.soft, v.hard); }
void VisitFields(auto& visit, Is<Caller> auto& v) {
  visit(v.uid, v.gid, v.groups, v.pid, v.umask, v.limits);
}
void VisitFields(auto& visit, Is<ProgramIdentity> auto& v) {
  visit(v.path, v.device, v.inode, v.size_bytes, v.mtime_ns, v.sha256);
}
void VisitFields(auto& visit, Is<RunExit> auto& v) { visit(v.code, v.signal, v.timed_out); }
void VisitFields(auto& visit, Is<Sample> auto& v) {
  visit(v.metric, v.inner_benchmark, v.iteration, v.value);
}
void VisitFields(auto& visit, Is<Environment> auto& v) { visit(v.facts); }
void VisitFields(auto& visit, Is<SettingState> auto& v) {
  visit(v.setting, v.wanted, v.actual, v.held, v.why, v.at_end);
}
void VisitFields(auto& visit, Is<MachineReport> auto& v) {
  visit(v.environment, v.isolation, v.benchmark_cpus, v.housekeeping_cpus);
}
void VisitFields(auto& visit, Is<Warning> auto& v) { visit(v.code, v.message, v.benchmark, v.arm); }
void VisitFields(auto& visit, Is<MachineEnd> auto& v) { visit(v.at_end, v.warnings); }
void VisitFields(auto& visit, Is<MachineStatus> auto& v) {
  visit(v.profile, v.holder, v.environment, v.settings, v.benchmark_cpus, v.housekeeping_cpus,
        v.notes);
}
void VisitFields(auto& visit, Is<NoiseSource> auto& v) {
  visit(v.name, v.finding, v.advice, v.effect);
}
void VisitFields(auto& visit, Is<MachineProfile> auto& v) {
  visit(v.name, v.benchmark_cpus, v.hold, v.irqs, v.workqueues, v.smt, v.cpuset, v.governor,
        v.min_frequency_khz, v.max_frequency_khz, v.boost, v.energy_preference,
        v.c_state_latency_us, v.timer_migration, v.nmi_watchdog, v.transparent_hugepages,
        v.swappiness, v.perf_sample_rate);
  visit(v.numa_local, v.memory_limit_bytes, v.nice, v.policy, v.drop_caches, v.aslr);
}
void VisitFields(auto& visit, Is<ChildLimits> auto& v) {
  visit(v.memory_bytes, v.processes, v.open_files, v.file_bytes, v.core_bytes, v.cpu_seconds);
}
void VisitFields(auto& visit, Is<ProgramQuery> auto& v) {
  visit(v.caller, v.program, v.path, v.cwd);
}
void VisitFields(auto& visit, Is<ChildSpec> auto& v) {
  visit(v.caller, v.argv, v.env, v.cwd, v.input, v.output, v.output_path, v.parse, v.cpus,
        v.program, v.metrics);
}
void VisitFields(auto& visit, Is<RunOrder> auto& v) {
  visit(v.child, v.padding_bytes, v.begins_block, v.variables);
}
void VisitFields(auto& visit, Is<Batch> auto& v) {
  visit(v.runs, v.next, v.timeout, v.budget, v.stop_on_failure);
}
void VisitFields(auto& visit, Is<MachineRequest> auto& v) { visit(v.profile, v.isolation, v.cpus); }
/// An absent direction is its own byte: 0 none, 1 lower, 2 higher.
template <typename Visit>
void VisitFields(Visit& visit, Is<MetricInfo> auto& v) {
  std::uint8_t better = 0;
  if (v.better) better = *v.better == Better::kLower ? 1 : 2;
  visit(v.name, v.unit, better, v.resolution);
  if constexpr (std::same_as<Visit, wire::Reader>) {
    if (better > 2) visit.Fail();
    v.better.reset();
    if (better == 1) v.better = Better::kLower;
    if (better == 2) v.better = Better::kHigher;
  }
}

}  // namespace benchd

namespace benchd::wire {

template <>
inline constexpr ErrorCode kLastOf<ErrorCode> = ErrorCode::kInternal;
template <>
inline constexpr OutputKind kLastOf<OutputKind> = OutputKind::kFile;
template <>
inline constexpr HoldSettings kLastOf<HoldSettings> = HoldSettings::kDaemon;
template <>
inline constexpr Isolation kLastOf<Isolation> = Isolation::kOff;

void VisitFields(auto& visit, Is<Hello> auto& v) { visit(v.version); }
void VisitFields(auto& visit, Is<HelloReply> auto& v) {
  visit(v.version, v.pid, v.privileged, v.housekeeping_cpus, v.benchmark_cpus, v.profiles);
}
void VisitFields(auto& visit, Is<Resolve> auto& v) { visit(v.query); }
void VisitFields(auto& visit, Is<OpenChild> auto& v) { visit(v.number, v.child); }
void VisitFields(auto&, Is<CloseChildren> auto&) {}
void VisitFields(auto& visit, Is<RunBatch> auto& v) { visit(v.batch); }
void VisitFields(auto&, Is<CancelRun> auto&) {}
void VisitFields(auto& visit, Is<CounterFigure> auto& v) {
  visit(v.metric, v.value, v.enabled_ns, v.running_ns);
}
void VisitFields(auto& visit, Is<MissingMetric> auto& v) { visit(v.metric, v.why); }
void VisitFields(auto& visit, Is<RunFigures> auto& v) {
  visit(v.started_at_ns, v.wall_time_ns, v.ended_at_ns, v.user_time_us, v.system_time_us,
        v.max_rss_bytes, v.minor_faults, v.major_faults, v.voluntary_switches,
        v.involuntary_switches, v.exit, v.limit, v.stderr_tail, v.output, v.parsed);
  visit(v.read_bytes, v.write_bytes, v.tree_cpu_time_us, v.tree_memory_peak_bytes, v.counters,
        v.missing);
}
void VisitFields(auto& visit, Is<BatchFigures> auto& v) { visit(v.runs, v.result); }
void VisitFields(auto& visit, Is<AcquireMachine> auto& v) { visit(v.machine); }
void VisitFields(auto&, Is<ReleaseMachine> auto&) {}
void VisitFields(auto& visit, Is<DescribeMachine> auto& v) { visit(v.profile); }
void VisitFields(auto& visit, Is<ApplyProfile> auto& v) { visit(v.profile); }
void VisitFields(auto&, Is<RestoreMachine> auto&) {}
void VisitFields(auto&, Is<DiagnoseMachine> auto&) {}
void VisitFields(auto& visit, Is<ProfileSummary> auto& v) { visit(v.name, v.cpus); }
void VisitFields(auto& visit, Is<ParsedOutput> auto& v) { visit(v.result, v.samples, v.metrics); }
void VisitFields(auto& visit, Is<UserRecord> auto& v) {
  visit(v.known, v.name, v.gid, v.groups, v.socket_gid);
}
void VisitFields(auto& visit, Is<RunnerConfig> auto& v) {
  visit(v.user, v.socket_group, v.allow_root, v.users, v.benchmark_cpus, v.counters, v.profiles,
        v.children);
}

}  // namespace benchd::wire
