#include "proto/convert/to_proto.h"

#include <chrono>
#include <string>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/session.pb.h"
#include "core/base/text.h"
#include "proto/convert/enum_values.h"

namespace benchd::convert {
namespace {

void ArmToProto(const Arm& arm, v1::Arm* to) {
  to->set_name(arm.name);
  to->set_role(ToWire<v1::ArmRole>(arm.role));
  to->set_command(arm.command);
  to->set_shell(arm.shell);
  for (const auto& [name, value] : arm.env) (*to->mutable_env())[name] = "";
  to->set_cwd(arm.cwd);
  if (arm.commit) {
    to->mutable_commit()->set_id(arm.commit->id);
    to->mutable_commit()->set_description(arm.commit->description);
  }
}

void GateToProto(const Gate& gate, v1::Gate* to) {
  to->set_metric(gate.metric);
  if (gate.kind == MarginKind::kRatio) {
    to->set_ratio(gate.margin);
  } else {
    to->set_absolute(gate.margin);
  }
  if (gate.better) to->set_better(ToWire<v1::Better>(*gate.better));
}

void HooksToProto(const Hooks& hooks, v1::Hooks* to) {
  to->set_shell(hooks.shell);
  to->set_cwd(hooks.cwd);
  to->set_build(hooks.build.command);
  to->set_setup(hooks.setup.command);
  to->set_prepare(hooks.prepare.command);
  to->set_conclude(hooks.conclude.command);
  to->set_cleanup(hooks.cleanup.command);
}

void BenchmarkToProto(const Benchmark& benchmark, v1::Benchmark* to) {
  to->set_name(benchmark.name);
  for (const Arm& arm : benchmark.arms) ArmToProto(arm, to->add_arms());
  HooksToProto(benchmark.hooks, to->mutable_hooks());
  to->set_parse(benchmark.parse);
  for (const Gate& gate : benchmark.gates) GateToProto(gate, to->add_gates());
  to->set_input(benchmark.input);
  to->set_output(ToWire<v1::OutputKind>(benchmark.output));
  to->set_output_path(benchmark.output_path);
  to->set_ignore_failure(benchmark.ignore_failure);
  if (benchmark.default_margin) to->set_margin(*benchmark.default_margin);
}

void LimitsToProto(const Limits& limits, v1::Limits* to) {
  to->set_min_runs(limits.min_runs);
  if (limits.max_runs) to->set_max_runs(*limits.max_runs);
  if (limits.runs) to->set_runs(*limits.runs);
  to->set_max_time_seconds(Seconds(limits.max_time));
  to->set_timeout_seconds(Seconds(limits.timeout));
  to->set_at_limit(ToWire<v1::AtLimit>(limits.at_limit));
  to->set_fail_fast(limits.fail_fast);
}

void EstimatorToProto(const Estimator& estimator, v1::Estimator* to) {
  to->set_kind(ToWire<v1::EstimatorKind>(estimator.kind));
  to->set_quantile(estimator.quantile);
}

void EffectToProto(const Effect& effect, v1::Effect* to) {
  to->set_estimate(effect.estimate);
  if (effect.lo) to->set_lo(*effect.lo);
  if (effect.hi) to->set_hi(*effect.hi);
}

void MarginToProto(const Comparison& comparison, v1::Comparison* to) {
  if (!comparison.margin) return;
  if (comparison.margin_kind == MarginKind::kRatio) {
    to->set_margin_ratio(*comparison.margin);
  } else {
    to->set_margin_absolute(*comparison.margin);
  }
}

void ComparisonToProto(const Comparison& from, v1::Comparison* to) {
  to->set_benchmark(from.benchmark);
  to->set_reference(from.reference);
  to->set_candidate(from.candidate);
  to->set_metric(from.metric);
  to->set_unit(from.unit);
  to->set_role(ToWire<v1::ComparisonRole>(from.role));
  if (from.better) to->set_better(ToWire<v1::Better>(*from.better));
  MarginToProto(from, to);
  to->set_confidence(from.confidence);
  to->set_method(ToWire<v1::Method>(from.method));
  EstimatorToProto(from.estimator, to->mutable_estimator());
  to->set_n_reference(from.n_reference);
  to->set_n_candidate(from.n_candidate);
  if (from.mean_reference) to->set_mean_reference(*from.mean_reference);
  if (from.mean_candidate) to->set_mean_candidate(*from.mean_candidate);
  if (from.sd_reference) to->set_sd_reference(*from.sd_reference);
  if (from.sd_candidate) to->set_sd_candidate(*from.sd_candidate);
  if (from.change) EffectToProto(*from.change, to->mutable_change());
  if (from.difference) EffectToProto(*from.difference, to->mutable_difference());
  if (from.p_value) to->set_p_value(*from.p_value);
  if (from.verdict) to->set_verdict(ToWire<v1::Verdict>(*from.verdict));
  if (from.decided) {
    to->mutable_decided()->set_blocks(from.decided->blocks);
    if (from.decided->lo) to->mutable_decided()->set_lo(*from.decided->lo);
    if (from.decided->hi) to->mutable_decided()->set_hi(*from.decided->hi);
  }
  to->set_flag(ToWire<v1::Flag>(from.flag));
  if (from.pairing_gain) to->set_pairing_gain(*from.pairing_gain);
  if (from.eta) to->set_eta_seconds(Seconds(*from.eta));
}

void FailedRunToProto(const FailedRun& run, v1::FailedRun* to) {
  to->set_benchmark(run.benchmark);
  to->set_arm(run.arm);
  to->set_block(run.block);
  to->set_warmup(run.phase == RunPhase::kWarmup);
  if (run.exit_code) to->set_exit_code(*run.exit_code);
  if (run.signal) to->set_signal(*run.signal);
  to->set_stderr_tail(Utf8Lossy(run.stderr_tail));
}

void FactsToProto(const Environment& environment,
                  google::protobuf::RepeatedPtrField<v1::EnvironmentFact>* to) {
  for (const auto& [name, value] : environment.facts) {
    v1::EnvironmentFact* fact = to->Add();
    fact->set_name(Utf8Lossy(name));
    fact->set_value(Utf8Lossy(value));
  }
}

void SettingsToProto(const std::vector<SettingState>& settings,
                     google::protobuf::RepeatedPtrField<v1::Setting>* to) {
  for (const SettingState& setting : settings) {
    v1::Setting* added = to->Add();
    added->set_setting(Utf8Lossy(setting.setting));
    added->set_wanted(Utf8Lossy(setting.wanted));
    added->set_actual(Utf8Lossy(setting.actual));
    added->set_held(setting.held);
    added->set_why(Utf8Lossy(setting.why));
    added->set_at_end(Utf8Lossy(setting.at_end));
  }
}

}  // namespace

void ToProto(Timestamp time, google::protobuf::Timestamp* to) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  to->set_seconds(seconds.time_since_epoch().count());
  to->set_nanos(static_cast<std::int32_t>((time - seconds).count()));
}

void ToProto(const SessionSpec& spec, v1::SessionSpec* to) {
  for (const Benchmark& benchmark : spec.benchmarks) {
    BenchmarkToProto(benchmark, to->add_benchmarks());
  }
  to->set_method(ToWire<v1::Method>(spec.method));
  EstimatorToProto(spec.estimator, to->mutable_estimator());
  if (spec.rule.kind == RuleKind::kPrecision) {
    to->mutable_rule()->set_precision_width(spec.rule.width);
  }
  to->set_alpha(spec.alpha);
  to->set_margin(spec.default_margin);
  to->set_sided(ToWire<v1::Sided>(spec.sided));
  LimitsToProto(spec.limits, to->mutable_limits());
  to->set_schedule(ToWire<v1::ScheduleKind>(spec.schedule.kind));
  to->set_warmup(spec.schedule.warmup);
  to->set_seed(spec.seed);
  to->set_machine_profile(spec.machine_profile);
  to->set_isolation(ToWire<v1::Isolation>(spec.isolation));
  to->set_cpus(spec.cpus);
  for (const std::string& setting : spec.settings_off.value_or(std::vector<std::string>())) {
    to->add_settings_off(setting);
  }
  to->set_placebo(spec.placebo);
  to->set_priority(spec.priority);
  for (const auto& [name, value] : spec.labels) (*to->mutable_labels())[name] = value;
}

void ToProto(const Report& report, SessionState state, v1::Update* to) {
  to->set_state(ToWire<v1::SessionState>(state));
  to->set_verdict(ToWire<v1::Verdict>(report.verdict));
  to->set_basis(ToWire<v1::Basis>(report.basis));
  to->set_elapsed_seconds(Seconds(report.elapsed));
  if (report.eta) to->set_eta_seconds(Seconds(*report.eta));
  to->set_disturbances(report.disturbances);
  for (const ArmRuns& runs : report.runs) {
    v1::ArmRuns* added = to->add_runs();
    added->set_benchmark(runs.benchmark);
    added->set_arm(runs.arm);
    added->set_runs(runs.runs);
  }
  for (const Comparison& comparison : report.comparisons) {
    ComparisonToProto(comparison, to->add_comparisons());
  }
  for (const Warning& warning : report.warnings) {
    v1::Warning* added = to->add_warnings();
    added->set_code(warning.code);
    added->set_message(Utf8Lossy(warning.message));
    added->set_benchmark(warning.benchmark);
    added->set_arm(warning.arm);
  }
}

void ToProto(const MachineReport& machine, std::uint64_t seed, v1::Started* to) {
  FactsToProto(machine.environment, to->mutable_environment());
  SettingsToProto(machine.isolation, to->mutable_isolation());
  to->set_seed(seed);
  for (const int cpu : machine.benchmark_cpus) to->add_benchmark_cpus(cpu);
  for (const int cpu : machine.housekeeping_cpus) to->add_housekeeping_cpus(cpu);
}

void ToProto(const Failure& failure, v1::Failed* to) {
  to->set_error(Utf8Lossy(failure.error.message));
  to->set_hint(Utf8Lossy(failure.error.hint));
  to->set_refused(failure.refused);
  if (failure.run) FailedRunToProto(*failure.run, to->mutable_run());
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
    added->set_name(info.name);
    added->set_unit(info.unit);
    if (info.better) added->set_better(ToWire<v1::Better>(*info.better));
    if (info.resolution > 0) added->set_resolution(info.resolution);
  }
}

void ToProto(const MachineStatus& status, v1::MachineStatus* to) {
  FactsToProto(status.environment, to->mutable_environment());
  SettingsToProto(status.settings, to->mutable_settings());
  to->set_profile(Utf8Lossy(status.profile));
  to->set_holder(status.holder);
  for (const int cpu : status.benchmark_cpus) to->add_benchmark_cpus(cpu);
  for (const int cpu : status.housekeeping_cpus) to->add_housekeeping_cpus(cpu);
  for (const std::string& note : status.notes) to->add_notes(Utf8Lossy(note));
}

void ToProto(const NoiseSource& source, v1::NoiseSource* to) {
  to->set_name(Utf8Lossy(source.name));
  to->set_finding(Utf8Lossy(source.finding));
  to->set_advice(Utf8Lossy(source.advice));
  if (source.effect) to->set_effect(*source.effect);
}

}  // namespace benchd::convert
