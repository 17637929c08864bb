#include "daemon/store/spec_json.h"

#include "daemon/store/json_codec.h"

namespace benchd::store {

template <>
inline constexpr Names<ArmRole, 3> kNames<ArmRole>{{
    {ArmRole::kReference, "reference"},
    {ArmRole::kCandidate, "candidate"},
    {ArmRole::kPlacebo, "placebo"},
}};
template <>
inline constexpr Names<OutputKind, 3> kNames<OutputKind>{{
    {OutputKind::kDiscard, "null"},
    {OutputKind::kLog, "log"},
    {OutputKind::kFile, "file"},
}};
template <>
inline constexpr Names<RuleKind, 2> kNames<RuleKind>{{
    {RuleKind::kMargin, "margin"},
    {RuleKind::kPrecision, "precision"},
}};
template <>
inline constexpr Names<Sided, 2> kNames<Sided>{{
    {Sided::kTwo, "two"},
    {Sided::kOne, "one"},
}};
template <>
inline constexpr Names<AtLimit, 2> kNames<AtLimit>{{
    {AtLimit::kUndecided, "undecided"},
    {AtLimit::kEstimate, "estimate"},
}};
template <>
inline constexpr Names<ScheduleKind, 2> kNames<ScheduleKind>{{
    {ScheduleKind::kPairs, "pairs"},
    {ScheduleKind::kCoin, "coin"},
}};
template <>
inline constexpr Names<Isolation, 3> kNames<Isolation>{{
    {Isolation::kStrict, "strict"},
    {Isolation::kBestEffort, "best-effort"},
    {Isolation::kOff, "off"},
}};

template <>
struct Fields<ResourceLimit> {
  static void Visit(auto& visit, auto& v) {
    visit("resource", v.resource);
    visit("soft", v.soft);
    visit("hard", v.hard);
  }
};
template <>
struct Fields<Caller> {
  static void Visit(auto& visit, auto& v) {
    visit("uid", v.uid);
    visit("gid", v.gid);
    visit("groups", v.groups);
    visit("pid", v.pid);
    visit("umask", v.umask);
    visit("limits", v.limits);
  }
};
template <>
struct Fields<Commit> {
  static void Visit(auto& visit, auto& v) {
    visit("id", v.id);
    visit("description", v.description);
  }
};
template <>
struct Fields<Arm> {
  static void Visit(auto& visit, auto& v) {
    visit("name", v.name);
    visit("role", v.role);
    visit("command", v.command);
    visit("shell", v.shell);
    visit("argv", v.argv);
    visit("env", v.env);
    visit("cwd", v.cwd);
    visit("program", v.program);
    visit("commit", v.commit);
  }
};
template <>
struct Fields<Hook> {
  static void Visit(auto& visit, auto& v) {
    visit("command", v.command);
    visit("argv", v.argv);
  }
};
template <>
struct Fields<Hooks> {
  static void Visit(auto& visit, auto& v) {
    visit("shell", v.shell);
    visit("cwd", v.cwd);
    visit("build", v.build);
    visit("setup", v.setup);
    visit("prepare", v.prepare);
    visit("conclude", v.conclude);
    visit("cleanup", v.cleanup);
  }
};
template <>
struct Fields<Gate> {
  static void Visit(auto& visit, auto& v) {
    visit("metric", v.metric);
    visit("kind", v.kind);
    visit("margin", v.margin);
    visit("better", v.better);
  }
};
template <>
struct Fields<Benchmark> {
  static void Visit(auto& visit, auto& v) {
    visit("name", v.name);
    visit("arms", v.arms);
    visit("hooks", v.hooks);
    visit("parse", v.parse);
    visit("gates", v.gates);
    visit("input", v.input);
    visit("output", v.output);
    visit("output_path", v.output_path);
    visit("ignore_failure", v.ignore_failure);
    visit("default_margin", v.default_margin);
  }
};
template <>
struct Fields<Rule> {
  static void Visit(auto& visit, auto& v) {
    visit("kind", v.kind);
    visit("width", v.width);
  }
};
template <>
struct Fields<Limits> {
  static void Visit(auto& visit, auto& v) {
    visit("min_runs", v.min_runs);
    visit("max_runs", v.max_runs);
    visit("runs", v.runs);
    visit("max_time_ns", v.max_time);
    visit("timeout_ns", v.timeout);
    visit("at_limit", v.at_limit);
    visit("fail_fast", v.fail_fast);
  }
};
template <>
struct Fields<ScheduleSpec> {
  static void Visit(auto& visit, auto& v) {
    visit("kind", v.kind);
    visit("warmup", v.warmup);
  }
};
template <>
struct Fields<SessionSpec> {
  static void Visit(auto& visit, auto& v) {
    visit("benchmarks", v.benchmarks);
    visit("method", v.method);
    visit("estimator", v.estimator);
    visit("rule", v.rule);
    visit("alpha", v.alpha);
    visit("default_margin", v.default_margin);
    visit("sided", v.sided);
    visit("limits", v.limits);
    visit("schedule", v.schedule);
    visit("seed", v.seed);
    visit("machine_profile", v.machine_profile);
    visit("isolation", v.isolation);
    visit("cpus", v.cpus);
    visit("placebo", v.placebo);
    visit("priority", v.priority);
    visit("labels", v.labels);
    visit("environment", v.environment);
    visit("caller", v.caller);
  }
};

std::string SpecToJson(const SessionSpec& spec) { return ToJsonText(spec); }

Result<SessionSpec> SpecFromJson(std::string_view json) {
  return FromJsonText<SessionSpec>(json, "spec");
}

}  // namespace benchd::store
