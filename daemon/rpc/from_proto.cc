#include "daemon/rpc/from_proto.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/session.pb.h"
#include "core/base/error.h"
#include "daemon/rpc/enum_tables.h"

namespace benchd::rpc {
namespace {

/// Sessions on a page of a list: by default, and at most.
constexpr std::size_t kUsualPage = 100;
constexpr std::size_t kLargestPage = 500;

/// Collects the first thing that is wrong, so that a conversion reads as a list of fields.
class Reader {
 public:
  bool ok() const { return !failed_; }
  Error error() && { return std::move(error_); }

  void Fail(const std::string& field, std::string_view why, std::string_view hint = {}) {
    if (failed_) return;
    failed_ = true;
    error_ = InvalidArgument(field, why, hint);
  }

  /// The model's word, `fallback` for UNSPECIFIED (0).
  template <typename Wire, typename Model, std::size_t N>
  Model Enum(const std::string& field, const EnumTable<Wire, Model, N>& table, Wire wire,
             Model fallback) {
    if (static_cast<int>(wire) == 0) return fallback;
    const std::optional<Model> model = ModelValue(table, wire);
    if (model) return *model;
    Fail(field, "this benchd does not know the value " + std::to_string(static_cast<int>(wire)),
         "is the client newer than the daemon?");
    return fallback;
  }

  double Finite(const std::string& field, double value) {
    if (!std::isfinite(value)) Fail(field, "is no finite number");
    return value;
  }

  Nanoseconds Duration(const std::string& field, double seconds) {
    // 2^63 ns are 292 years; a century is safely below.
    constexpr double kMaxSeconds = 100.0 * 365 * 24 * 3600;
    if (std::isfinite(seconds) && seconds > 0 && seconds <= kMaxSeconds) {
      return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
    }
    Fail(field, "is no duration of more than 0 seconds and less than a century");
    return {};
  }

 private:
  bool failed_ = false;
  Error error_;
};

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

std::vector<Arm> ReadArms(Reader& reader, const std::string& field, const v1::Benchmark& proto) {
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
    arm.role = reader.Enum(path + ".role", kArmRoles, from.role(), open_role);
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

std::vector<Gate> ReadGates(Reader& reader, const std::string& field, const v1::Benchmark& proto,
                            double default_margin) {
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
      gate.better = reader.Enum(path + ".better", kBetters, from.better(), Better::kLower);
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

Benchmark ReadBenchmark(Reader& reader, const std::string& field, const v1::Benchmark& from,
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
  benchmark.output =
      reader.Enum(field + ".output", kOutputKinds, from.output(), OutputKind::kDiscard);
  benchmark.output_path = from.output_path();
  benchmark.ignore_failure = from.ignore_failure();
  return benchmark;
}

Limits ReadLimits(Reader& reader, const v1::Limits& from) {
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
  limits.at_limit = reader.Enum("limits.at_limit", kAtLimits, from.at_limit(), AtLimit::kUndecided);
  limits.fail_fast = from.fail_fast();
  return limits;
}

Rule ReadRule(Reader& reader, const v1::Rule& from) {
  Rule rule;
  const double width = reader.Finite("rule.precision_width", from.precision_width());
  if (width < 0) reader.Fail("rule.precision_width", "is negative");
  if (width > 0) rule = {RuleKind::kPrecision, width};
  return rule;
}

Estimator ReadEstimator(Reader& reader, const v1::Estimator& from) {
  return {reader.Enum("estimator.kind", kEstimatorKinds, from.kind(), EstimatorKind::kMean),
          reader.Finite("estimator.quantile", from.quantile())};
}

}  // namespace

Result<SessionSpec> FromProto(const v1::SessionSpec& from) {
  Reader reader;
  SessionSpec spec;
  if (from.has_alpha()) spec.alpha = reader.Finite("alpha", from.alpha());
  if (from.has_margin()) spec.default_margin = reader.Finite("margin", from.margin());
  for (int i = 0; i < from.benchmarks_size() && reader.ok(); ++i) {
    spec.benchmarks.push_back(
        ReadBenchmark(reader, Indexed("benchmarks", i), from.benchmarks(i), spec.default_margin));
  }
  const bool coin = from.schedule() == v1::SCHEDULE_KIND_COIN;
  spec.method =
      reader.Enum("method", kMethods, from.method(), coin ? Method::kWelch : Method::kPaired);
  spec.estimator = ReadEstimator(reader, from.estimator());
  spec.rule = ReadRule(reader, from.rule());
  spec.sided = reader.Enum("sided", kSided, from.sided(), Sided::kTwo);
  spec.limits = ReadLimits(reader, from.limits());
  spec.schedule.kind =
      reader.Enum("schedule", kScheduleKinds, from.schedule(), ScheduleKind::kPairs);
  if (from.has_warmup()) spec.schedule.warmup = from.warmup();
  spec.seed = from.seed();
  if (!from.machine_profile().empty()) spec.machine_profile = from.machine_profile();
  spec.isolation = reader.Enum("isolation", kIsolations, from.isolation(), Isolation::kBestEffort);
  spec.cpus = from.cpus();
  spec.placebo = from.placebo();
  spec.priority = from.priority();
  spec.labels = ToMap(from.labels());
  spec.environment = ToMap(from.environment());
  if (!reader.ok()) return std::move(reader).error();
  return spec;
}

Result<SessionFilter> FromProto(const v1::ListSessionsRequest& from) {
  Reader reader;
  SessionFilter filter;
  filter.all = from.all();
  if (from.state() != v1::SESSION_STATE_UNSPECIFIED) {
    filter.state = reader.Enum("state", kSessionStates, from.state(), SessionState::kQueued);
  }
  filter.labels = ToMap(from.labels());
  if (!reader.ok()) return std::move(reader).error();
  filter.limit =
      from.page_size() == 0 ? kUsualPage : std::min<std::size_t>(from.page_size(), kLargestPage);
  if (from.page_token().empty()) return filter;
  const std::string& token = from.page_token();
  const char* const end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, filter.before);
  if (error == std::errc{} && stopped == end) return filter;
  return InvalidArgument("page_token", "none of this benchd's", "begin without one");
}

Result<Nanoseconds> FromProto(const v1::ReserveRequest& from) {
  constexpr std::chrono::hours kLongest{1};
  Reader reader;
  const Nanoseconds wanted = reader.Duration("seconds", from.seconds());
  if (wanted > kLongest) {
    reader.Fail("seconds", "the machine can be reserved for an hour at most",
                "reserve it again when the hour is over");
  }
  if (!reader.ok()) return std::move(reader).error();
  return wanted;
}

}  // namespace benchd::rpc
