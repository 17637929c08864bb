#pragma once

#include <concepts>

#include "daemon/wire/codec.h"
#include "daemon/wire/messages.h"

/// The fields of every record, in their order on the wire: the one list that Writer and Reader both
/// walk; those of the core's values stand beside them (core/base/fields.h). Changing any of them
/// changes kVersion.
namespace benchd {

/// `T` or `const T`: the writer walks constant values, the reader others.
template <typename T, typename Wanted>
concept Is = std::same_as<std::remove_const_t<T>, Wanted>;

}  // namespace benchd

namespace benchd::wire {

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
