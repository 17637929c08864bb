#include "proto/convert/from_proto.h"

#include <string>
#include <utility>

#include "benchd/v1/session.pb.h"
#include "proto/convert/enum_values.h"
#include "proto/convert/field_reader.h"

namespace benchd::convert {
namespace {

std::string Indexed(const std::string& field, int index) {
  return field + "[" + std::to_string(index) + "]";
}

template <typename ProtoMap>
std::map<std::string, std::string> ToMap(const ProtoMap& map) {
  return {map.begin(), map.end()};
}

// base, base-2, ... and candidate, candidate-2, ..., counted within the role.
std::string DefaultName(ArmRole role, int number_in_role) {
  const std::string name = role == ArmRole::kReference ? "base" : "candidate";
  return number_in_role == 1 ? name : name + "-" + std::to_string(number_in_role);
}

std::vector<Arm> ReadArms(FieldReader& reader, const std::string& field,
                          const v1::Benchmark& proto) {
  bool names_a_reference = false;
  for (const v1::Arm& arm : proto.arms()) {
    if (arm.role() == v1::ARM_ROLE_REFERENCE) names_a_reference = true;
  }
  std::vector<Arm> arms;
  int references = 0;
  int candidates = 0;
  for (int i = 0; i < proto.arms_size(); ++i) {
    const v1::Arm& from = proto.arms(i);
    const std::string path = Indexed(field + ".arms", i);
    const ArmRole open_role =
        i == 0 && !names_a_reference ? ArmRole::kReference : ArmRole::kCandidate;
    Arm arm;
    arm.role = reader.Enum(path + ".role", from.role(), open_role);
    if (arm.role == ArmRole::kPlacebo) {
      reader.Fail(path + ".role", "the placebo is added by SessionSpec.placebo");
    }
    const int number = arm.role == ArmRole::kReference ? ++references : ++candidates;
    arm.name = from.name().empty() ? DefaultName(arm.role, number) : from.name();
    arm.command = from.command();
    arm.shell = from.shell();
    arm.env = ToMap(from.env());
    arm.cwd = from.cwd();
    if (from.has_commit()) arm.commit = Commit{from.commit().id(), from.commit().description()};
    arms.push_back(std::move(arm));
  }
  return arms;
}

std::vector<Gate> ReadGates(FieldReader& reader, const std::string& field,
                            const v1::Benchmark& proto, double default_margin) {
  std::vector<Gate> gates;
  for (int i = 0; i < proto.gates_size(); ++i) {
    const v1::Gate& from = proto.gates(i);
    const std::string path = Indexed(field + ".gates", i);
    Gate gate;
    gate.metric = from.metric();
    gate.margin = default_margin;
    if (from.has_ratio()) gate.margin = reader.Finite(path + ".ratio", from.ratio());
    if (from.has_absolute()) {
      gate.kind = MarginKind::kAbsolute;
      gate.margin = reader.Finite(path + ".absolute", from.absolute());
    }
    if (from.better() != v1::BETTER_UNSPECIFIED) {
      gate.better = reader.Enum(path + ".better", from.better(), Better::kLower);
    }
    gates.push_back(std::move(gate));
  }
  return gates;
}

Hooks ReadHooks(const v1::Hooks& from) {
  Hooks hooks;
  hooks.shell = from.shell();
  hooks.cwd = from.cwd();
  hooks.build.command = from.build();
  hooks.setup.command = from.setup();
  hooks.prepare.command = from.prepare();
  hooks.conclude.command = from.conclude();
  hooks.cleanup.command = from.cleanup();
  return hooks;
}

Benchmark ReadBenchmark(FieldReader& reader, const std::string& field, const v1::Benchmark& from,
                        double default_margin) {
  Benchmark benchmark;
  if (from.has_margin()) {
    default_margin = reader.Finite(field + ".margin", from.margin());
    benchmark.default_margin = default_margin;
  }
  if (!from.name().empty()) benchmark.name = from.name();
  benchmark.arms = ReadArms(reader, field, from);
  benchmark.hooks = ReadHooks(from.hooks());
  benchmark.parse = from.parse();
  benchmark.gates = ReadGates(reader, field, from, default_margin);
  benchmark.input = from.input();
  benchmark.output = reader.Enum(field + ".output", from.output(), OutputKind::kDiscard);
  benchmark.output_path = from.output_path();
  benchmark.ignore_failure = from.ignore_failure();
  return benchmark;
}

Limits ReadLimits(FieldReader& reader, const v1::Limits& from) {
  Limits limits;
  if (from.has_min_runs()) limits.min_runs = from.min_runs();
  if (from.has_max_runs()) limits.max_runs = from.max_runs();
  if (from.has_runs()) limits.runs = from.runs();
  if (from.has_max_time_seconds()) {
    limits.max_time = reader.Duration("limits.max_time_seconds", from.max_time_seconds());
  }
  if (from.has_timeout_seconds()) {
    limits.timeout = reader.Duration("limits.timeout_seconds", from.timeout_seconds());
  }
  limits.at_limit = reader.Enum("limits.at_limit", from.at_limit(), AtLimit::kUndecided);
  limits.fail_fast = from.fail_fast();
  return limits;
}

Rule ReadRule(FieldReader& reader, const v1::Rule& from) {
  Rule rule;
  const double width = reader.Finite("rule.precision_width", from.precision_width());
  if (width < 0) reader.Fail("rule.precision_width", "is negative");
  if (width > 0) rule = {RuleKind::kPrecision, width};
  return rule;
}

Estimator ReadEstimator(FieldReader& reader, const v1::Estimator& from) {
  return {reader.Enum("estimator.kind", from.kind(), EstimatorKind::kMean),
          reader.Finite("estimator.quantile", from.quantile())};
}

}  // namespace

Result<SessionSpec> FromProto(const v1::SessionSpec& from) {
  FieldReader reader;
  SessionSpec spec;
  if (from.has_alpha()) spec.alpha = reader.Finite("alpha", from.alpha());
  if (from.has_margin()) spec.default_margin = reader.Finite("margin", from.margin());
  for (int i = 0; i < from.benchmarks_size() && reader.ok(); ++i) {
    spec.benchmarks.push_back(
        ReadBenchmark(reader, Indexed("benchmarks", i), from.benchmarks(i), spec.default_margin));
  }
  const bool coin = from.schedule() == v1::SCHEDULE_KIND_COIN;
  spec.method = reader.Enum("method", from.method(), coin ? Method::kWelch : Method::kPaired);
  spec.estimator = ReadEstimator(reader, from.estimator());
  spec.rule = ReadRule(reader, from.rule());
  spec.sided = reader.Enum("sided", from.sided(), Sided::kTwo);
  spec.limits = ReadLimits(reader, from.limits());
  spec.schedule.kind = reader.Enum("schedule", from.schedule(), ScheduleKind::kPairs);
  if (from.has_warmup()) spec.schedule.warmup = from.warmup();
  spec.seed = from.seed();
  if (!from.machine_profile().empty()) spec.machine_profile = from.machine_profile();
  spec.isolation = reader.Enum("isolation", from.isolation(), Isolation::kBestEffort);
  spec.cpus = from.cpus();
  if (from.settings_off_size() > 0) {
    spec.settings_off.emplace(from.settings_off().begin(), from.settings_off().end());
  }
  spec.placebo = from.placebo();
  spec.priority = from.priority();
  spec.labels = ToMap(from.labels());
  spec.environment = ToMap(from.environment());
  if (!reader.ok()) return std::move(reader).error();
  return spec;
}

}  // namespace benchd::convert
