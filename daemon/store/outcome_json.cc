#include "daemon/store/outcome_json.h"

#include "daemon/store/json_codec.h"

namespace benchd::store {

template <>
inline constexpr Names<ErrorCode, 11> kNames<ErrorCode>{{
    {ErrorCode::kInvalidArgument, "invalid_argument"},
    {ErrorCode::kNotFound, "not_found"},
    {ErrorCode::kAlreadyExists, "already_exists"},
    {ErrorCode::kPermissionDenied, "permission_denied"},
    {ErrorCode::kFailedPrecondition, "failed_precondition"},
    {ErrorCode::kResourceExhausted, "resource_exhausted"},
    {ErrorCode::kUnavailable, "unavailable"},
    {ErrorCode::kCancelled, "cancelled"},
    {ErrorCode::kDeadlineExceeded, "deadline_exceeded"},
    {ErrorCode::kUnimplemented, "unimplemented"},
    {ErrorCode::kInternal, "internal"},
}};
template <>
inline constexpr Names<SessionState, 7> kNames<SessionState>{{
    {SessionState::kQueued, "queued"},
    {SessionState::kPreparing, "preparing"},
    {SessionState::kRunning, "running"},
    {SessionState::kPaused, "paused"},
    {SessionState::kDone, "done"},
    {SessionState::kFailed, "failed"},
    {SessionState::kCancelled, "cancelled"},
}};
template <>
inline constexpr Names<Verdict, 3> kNames<Verdict>{{
    {Verdict::kPass, "pass"},
    {Verdict::kRegression, "regression"},
    {Verdict::kUndecided, "undecided"},
}};
template <>
inline constexpr Names<Basis, 2> kNames<Basis>{{
    {Basis::kInterval, "interval"},
    {Basis::kEstimate, "estimate"},
}};
template <>
inline constexpr Names<ComparisonRole, 2> kNames<ComparisonRole>{{
    {ComparisonRole::kGate, "gate"},
    {ComparisonRole::kInfo, "info"},
}};
template <>
inline constexpr Names<Flag, 3> kNames<Flag>{{
    {Flag::kNone, "none"},
    {Flag::kImprovement, "improvement"},
    {Flag::kWorse, "worse"},
}};
template <>
inline constexpr Names<RunPhase, 3> kNames<RunPhase>{{
    {RunPhase::kWarmup, "warmup"},
    {RunPhase::kMeasured, "measured"},
    {RunPhase::kDropped, "dropped"},
}};

template <>
struct Fields<MetricInfo> {
  static void Visit(auto& visit, auto& v) {
    visit("name", v.name);
    visit("unit", v.unit);
    visit("better", v.better);
    visit("resolution", v.resolution);
  }
};
template <>
struct Fields<Effect> {
  static void Visit(auto& visit, auto& v) {
    visit("estimate", v.estimate);
    visit("lo", v.lo);
    visit("hi", v.hi);
  }
};
template <>
struct Fields<Decision> {
  static void Visit(auto& visit, auto& v) {
    visit("blocks", v.blocks);
    visit("lo", v.lo);
    visit("hi", v.hi);
  }
};
template <>
struct Fields<Comparison> {
  static void Visit(auto& visit, auto& v) {
    visit("benchmark", v.benchmark);
    visit("reference", v.reference);
    visit("candidate", v.candidate);
    visit("metric", v.metric);
    visit("unit", v.unit);
    visit("role", v.role);
    visit("better", v.better);
    visit("margin", v.margin);
    visit("margin_kind", v.margin_kind);
    visit("confidence", v.confidence);
    visit("method", v.method);
    visit("estimator", v.estimator);
    visit("n_reference", v.n_reference);
    visit("n_candidate", v.n_candidate);
    visit("mean_reference", v.mean_reference);
    visit("mean_candidate", v.mean_candidate);
    visit("sd_reference", v.sd_reference);
    visit("sd_candidate", v.sd_candidate);
    visit("change", v.change);
    visit("difference", v.difference);
    visit("p_value", v.p_value);
    visit("verdict", v.verdict);
    visit("decided", v.decided);
    visit("flag", v.flag);
    visit("pairing_gain", v.pairing_gain);
    visit("expected_blocks", v.expected_blocks);
    visit("eta_ns", v.eta);
  }
};
template <>
struct Fields<SettingState> {
  static void Visit(auto& visit, auto& v) {
    visit("setting", v.setting);
    visit("wanted", v.wanted);
    visit("actual", v.actual);
    visit("held", v.held);
    visit("why", v.why);
    visit("at_end", v.at_end);
  }
};
template <>
struct Fields<Environment> {
  static void Visit(auto& visit, auto& v) { visit("facts", v.facts); }
};
template <>
struct Fields<MachineReport> {
  static void Visit(auto& visit, auto& v) {
    visit("environment", v.environment);
    visit("isolation", v.isolation);
    visit("benchmark_cpus", v.benchmark_cpus);
    visit("housekeeping_cpus", v.housekeeping_cpus);
  }
};
template <>
struct Fields<Warning> {
  static void Visit(auto& visit, auto& v) {
    visit("code", v.code);
    visit("message", v.message);
    visit("benchmark", v.benchmark);
    visit("arm", v.arm);
  }
};
template <>
struct Fields<ArmRuns> {
  static void Visit(auto& visit, auto& v) {
    visit("benchmark", v.benchmark);
    visit("arm", v.arm);
    visit("runs", v.runs);
  }
};
template <>
struct Fields<Report> {
  static void Visit(auto& visit, auto& v) {
    visit("verdict", v.verdict);
    visit("basis", v.basis);
    visit("elapsed_ns", v.elapsed);
    visit("eta_ns", v.eta);
    visit("disturbances", v.disturbances);
    visit("runs", v.runs);
    visit("comparisons", v.comparisons);
    visit("warnings", v.warnings);
  }
};
template <>
struct Fields<Error> {
  static void Visit(auto& visit, auto& v) {
    visit("code", v.code);
    visit("message", v.message);
    visit("hint", v.hint);
  }
};
template <>
struct Fields<FailedRun> {
  static void Visit(auto& visit, auto& v) {
    visit("benchmark", v.benchmark);
    visit("arm", v.arm);
    visit("block", v.block);
    visit("phase", v.phase);
    visit("exit_code", v.exit_code);
    visit("signal", v.signal);
    visit("stderr_tail", v.stderr_tail);
  }
};
template <>
struct Fields<Failure> {
  static void Visit(auto& visit, auto& v) {
    visit("error", v.error);
    visit("run", v.run);
    visit("refused", v.refused);
  }
};
template <>
struct Fields<SetupResult> {
  static void Visit(auto& visit, auto& v) { visit("programs", v.programs); }
};
template <>
struct Fields<SessionSnapshot> {
  static void Visit(auto& visit, auto& v) {
    visit("id", v.id);
    visit("state", v.state);
    visit("submitted_at_ns", v.submitted_at);
    visit("started_at_ns", v.started_at);
    visit("ended_at_ns", v.ended_at);
    visit("position", v.position);
    visit("eta_ns", v.eta);
    visit("machine", v.machine);
    visit("report", v.report);
    visit("failure", v.failure);
    visit("cancelled_by", v.cancelled_by);
    visit("setup", v.setup);
  }
};

std::string SnapshotToJson(const SessionSnapshot& snapshot) { return ToJsonText(snapshot); }

std::string MetricsToJson(const std::vector<MetricInfo>& metrics) { return ToJsonText(metrics); }

std::string_view StateName(SessionState state) { return NameOf(state); }

std::string_view PhaseName(RunPhase phase) { return NameOf(phase); }

std::optional<RunPhase> PhaseOfName(std::string_view name) { return ValueOf<RunPhase>(name); }

Result<SessionSnapshot> SnapshotFromJson(std::string_view json) {
  return FromJsonText<SessionSnapshot>(json, "snapshot");
}

Result<std::vector<MetricInfo>> MetricsFromJson(std::string_view json) {
  return FromJsonText<std::vector<MetricInfo>>(json, "metrics");
}

}  // namespace benchd::store
