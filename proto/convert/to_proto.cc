#include "proto/convert/to_proto.h"

#include <chrono>
#include <string>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/session.pb.h"
#include "core/base/text.h"
#include "proto/convert/enum_values.h"
#include "proto/convert/message_fields.h"

namespace benchd::convert {
namespace {

void MarginToProto(const Comparison& from, v1::Comparison* to) {
  if (!from.margin) return;
  if (from.margin_kind == MarginKind::kRatio) {
    to->set_margin_ratio(*from.margin);
  } else {
    to->set_margin_absolute(*from.margin);
  }
}

// What the fields' own names do not say; of the arms' variables the names only.
void FinishBenchmark(const Benchmark& benchmark, v1::Benchmark* to) {
  for (std::size_t i = 0; i < benchmark.arms.size(); ++i) {
    for (const auto& [name, value] : benchmark.arms[i].env) {
      (*to->mutable_arms(static_cast<int>(i))->mutable_env())[name] = "";
    }
  }
  for (std::size_t i = 0; i < benchmark.gates.size(); ++i) {
    const Gate& gate = benchmark.gates[i];
    v1::Gate* const gate_to = to->mutable_gates(static_cast<int>(i));
    if (gate.kind == MarginKind::kRatio) {
      gate_to->set_ratio(gate.margin);
    } else {
      gate_to->set_absolute(gate.margin);
    }
  }
  if (benchmark.default_margin) to->set_margin(*benchmark.default_margin);
}

}  // namespace

void ToProto(Timestamp time, google::protobuf::Timestamp* to) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  to->set_seconds(seconds.time_since_epoch().count());
  to->set_nanos(static_cast<std::int32_t>((time - seconds).count()));
}

void ToProto(const SessionSpec& spec, v1::SessionSpec* to) {
  WriteFields(spec, to);
  for (std::size_t i = 0; i < spec.benchmarks.size(); ++i) {
    FinishBenchmark(spec.benchmarks[i], to->mutable_benchmarks(static_cast<int>(i)));
  }
  if (spec.rule.kind == RuleKind::kPrecision) {
    to->mutable_rule()->set_precision_width(spec.rule.width);
  }
  to->set_margin(spec.default_margin);
  to->set_schedule(ToWire<v1::ScheduleKind>(spec.schedule.kind));
  to->set_warmup(spec.schedule.warmup);
}

void ToProto(const Report& report, SessionState state, v1::Update* to) {
  WriteFields(report, to);
  for (std::size_t i = 0; i < report.comparisons.size(); ++i) {
    MarginToProto(report.comparisons[i], to->mutable_comparisons(static_cast<int>(i)));
  }
  to->set_state(ToWire<v1::SessionState>(state));
}

void ToProto(const MachineReport& machine, std::uint64_t seed, v1::Started* to) {
  WriteFields(machine, to);
  to->set_seed(seed);
}

void ToProto(const Failure& failure, v1::Failed* to) {
  to->set_error(Utf8Lossy(failure.error.message));
  to->set_hint(Utf8Lossy(failure.error.hint));
  to->set_refused(failure.refused);
  if (!failure.run) return;
  WriteFields(*failure.run, to->mutable_run());
  to->mutable_run()->set_warmup(failure.run->phase == RunPhase::kWarmup);
}

void QueuedToProto(const SessionSnapshot& snapshot, v1::Queued* to) {
  to->set_position(snapshot.position);
  if (snapshot.eta) to->set_eta_seconds(Seconds(*snapshot.eta));
}

void ToProto(const SessionRecord& record, v1::Session* to) {
  const SessionSnapshot& snapshot = record.snapshot;
  to->set_session(snapshot.id.value);
  to->set_state(ToWire<v1::SessionState>(snapshot.state));
  to->set_uid(record.spec.caller.uid);
  ToProto(snapshot.submitted_at, to->mutable_submitted_at());
  if (snapshot.started_at) ToProto(*snapshot.started_at, to->mutable_started_at());
  if (snapshot.ended_at) ToProto(*snapshot.ended_at, to->mutable_ended_at());
  ToProto(record.spec, to->mutable_spec());
  for (const auto& [name, value] : record.spec.environment) to->add_environment_names(name);
  if (snapshot.state == SessionState::kQueued) QueuedToProto(snapshot, to->mutable_queued());
  if (snapshot.machine) ToProto(*snapshot.machine, record.spec.seed, to->mutable_started());
  if (snapshot.report) ToProto(*snapshot.report, snapshot.state, to->mutable_report());
  if (snapshot.failure) ToProto(*snapshot.failure, to->mutable_failed());
  if (snapshot.state == SessionState::kCancelled) {
    to->mutable_cancelled()->set_by(snapshot.cancelled_by);
  }
}

void ToProto(const std::vector<HistoryEntry>& history, v1::Session* to) {
  for (const HistoryEntry& entry : history) {
    v1::HistoryEntry* added = to->add_history();
    ToProto(entry.at, added->mutable_time());
    added->set_what(Utf8Lossy(entry.what));
  }
}

void ToProto(const Run& run, const SessionSpec& spec, v1::Run* to) {
  if (run.benchmark < spec.benchmarks.size()) {
    const Benchmark& benchmark = spec.benchmarks[run.benchmark];
    to->set_benchmark(benchmark.name);
    if (run.arm < benchmark.arms.size()) to->set_arm(benchmark.arms[run.arm].name);
  }
  to->set_block(run.block);
  to->set_position(run.position);
  to->set_phase(ToWire<v1::RunPhase>(run.phase));
  ToProto(run.started_at, to->mutable_started_at());
  to->set_exit_code(run.exit.code);
  to->set_signal(run.exit.signal);
  to->set_disturbances(run.disturbances);
  for (const Sample& sample : run.samples) {
    v1::Sample* added = to->add_samples();
    added->set_metric(sample.metric);
    added->set_inner_benchmark(sample.inner_benchmark);
    added->set_iteration(sample.iteration);
    added->set_value(sample.value);
  }
}

void MetricsToProto(const Run& run, v1::Run* to) {
  for (const MetricInfo& info : run.metrics) {
    v1::MetricInfo* added = to->add_metrics();
    WriteFields(info, added);
    if (info.resolution > 0) added->set_resolution(info.resolution);
  }
}

void ToProto(const MachineStatus& status, v1::MachineStatus* to) { WriteFields(status, to); }
void ToProto(const NoiseSource& source, v1::NoiseSource* to) { WriteFields(source, to); }

}  // namespace benchd::convert
