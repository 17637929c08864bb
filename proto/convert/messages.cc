#include <fmt/format.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

#include "benchd/v1/history.pb.h"
#include "benchd/v1/machine.pb.h"
#include "benchd/v1/session.pb.h"
#include "core/base/text.h"
#include "core/model/inner_benchmarks.h"
#include "proto/convert/convert.h"
#include "proto/convert/message_fields.h"

namespace benchd::convert {
namespace {

// Returns base, base-2, ..., candidate, candidate-2, ... or program, program-2, ..., counted per
// role.
std::string DefaultName(ArmRole role, int number_in_role) {
  const std::string name = role == ArmRole::kReference  ? "base"
                           : role == ArmRole::kMeasured ? "program"
                                                        : "candidate";
  return number_in_role == 1 ? name : fmt::format("{}-{}", name, number_in_role);
}

// Fills in absent roles and names. The first arm is the reference unless another arm has that role.
void FinishArms(FieldReader& reader, const std::string& field, const v1::Benchmark& proto,
                std::vector<Arm>& arms) {
  const bool names_a_reference = std::ranges::any_of(
      proto.arms(), [](const v1::Arm& arm) { return arm.role() == v1::ARM_ROLE_REFERENCE; });
  if (!names_a_reference && !arms.empty() && proto.arms(0).role() == v1::ARM_ROLE_UNSPECIFIED) {
    arms[0].role = ArmRole::kReference;
  }
  int references = 0;
  int candidates = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].role == ArmRole::kPlacebo) {
      reader.Fail(fmt::format("{}.arms[{}].role", field, i),
                  "a placebo cannot be submitted as an arm; set SessionSpec.placebo instead");
    }
    const int number = arms[i].role == ArmRole::kReference ? ++references : ++candidates;
    if (arms[i].name.empty()) arms[i].name = DefaultName(arms[i].role, number);
    const auto& env = proto.arms(static_cast<int>(i)).env();
    arms[i].env = {env.begin(), env.end()};
  }
}

void ReadMargins(FieldReader& reader, const std::string& field, const v1::Benchmark& proto,
                 double default_margin, Benchmark& benchmark) {
  if (proto.has_margin()) {
    default_margin = reader.Finite(field + ".margin", proto.margin());
    benchmark.default_margin = default_margin;
  }
  for (std::size_t i = 0; i < benchmark.gates.size(); ++i) {
    const v1::Gate& from = proto.gates(static_cast<int>(i));
    const std::string path = fmt::format("{}.gates[{}]", field, i);
    Gate& gate = benchmark.gates[i];
    gate.margin = default_margin;
    gate.margin_implied = !from.exact() && from.margin_case() == v1::Gate::MARGIN_NOT_SET;
    if (from.has_ratio()) gate.margin = reader.Finite(path + ".ratio", from.ratio());
    if (from.has_absolute()) {
      gate.kind = MarginKind::kAbsolute;
      gate.margin = reader.Finite(path + ".absolute", from.absolute());
    }
    if (from.exact()) {
      gate.kind = MarginKind::kExact;
      gate.margin = 1;
    }
  }
}

Rule ReadRule(FieldReader& reader, const v1::Rule& from) {
  const double width = reader.Finite("rule.precision_width", from.precision_width());
  if (width < 0) reader.Fail("rule.precision_width", "must not be negative");
  return width > 0 ? Rule{RuleKind::kPrecision, width} : Rule{};
}

}  // namespace

Result<SessionSpec> FromProto(const v1::SessionSpec& from) {
  FieldReader reader;
  SessionSpec spec;
  ReadFields(reader, "", from, &spec);
  if (!reader.ok()) return std::move(reader).error();
  if (from.has_margin()) spec.default_margin = reader.Finite("margin", from.margin());
  for (std::size_t i = 0; i < spec.benchmarks.size(); ++i) {
    const v1::Benchmark& benchmark = from.benchmarks(static_cast<int>(i));
    const std::string field = fmt::format("benchmarks[{}]", i);
    FinishArms(reader, field, benchmark, spec.benchmarks[i].arms);
    ReadMargins(reader, field, benchmark, spec.default_margin, spec.benchmarks[i]);
  }
  spec.schedule.kind = reader.Enum("schedule", from.schedule(), ScheduleKind::kPairs);
  if (from.has_warmup()) spec.schedule.warmup = from.warmup();
  const bool coin = spec.schedule.kind == ScheduleKind::kCoin;
  if (coin && from.method() == v1::METHOD_UNSPECIFIED) spec.method = Method::kWelch;
  spec.rule = ReadRule(reader, from.rule());
  spec.environment = {from.environment().begin(), from.environment().end()};
  if (!reader.ok()) return std::move(reader).error();
  return spec;
}

Result<Comparison> FromProto(const v1::Comparison& from) {
  v1::Comparison found = from;
  found.clear_eta_seconds();
  found.clear_forecast();
  FieldReader reader;
  Comparison comparison;
  ReadFields(reader, "", found, &comparison);
  if (from.has_margin_ratio()) comparison.margin = reader.Finite("margin", from.margin_ratio());
  if (from.has_margin_absolute()) {
    comparison.margin_kind = from.exact() ? MarginKind::kExact : MarginKind::kAbsolute;
    comparison.margin = reader.Finite("margin", from.margin_absolute());
  }
  if (!reader.ok()) return std::move(reader).error();
  return comparison;
}

Result<Estimate> FromProto(const v1::Estimate& from) {
  v1::Estimate found = from;
  found.clear_eta_seconds();
  FieldReader reader;
  Estimate estimate;
  ReadFields(reader, "", found, &estimate);
  if (!reader.ok()) return std::move(reader).error();
  return estimate;
}

Warning FromProto(const v1::Warning& from) {
  FieldReader reader;  // an unknown severity from a newer daemon keeps the default
  Warning warning;
  ReadFields(reader, "", from, &warning);
  if (from.severity() == v1::SEVERITY_UNSPECIFIED) CompleteWarning(warning);
  return warning;
}

Timestamp FromProto(const google::protobuf::Timestamp& time) {
  return Timestamp(std::chrono::seconds(time.seconds()) + Nanoseconds(time.nanos()));
}

namespace {

void MarginToProto(const Comparison& from, v1::Comparison* to) {
  if (!from.margin) return;
  if (from.margin_kind == MarginKind::kRatio) {
    to->set_margin_ratio(*from.margin);
  } else {
    to->set_margin_absolute(*from.margin);
    to->set_exact(from.margin_kind == MarginKind::kExact);
  }
}

// A gate for which the user gave no margin stays without one. With the default margin, a client
// could not distinguish it from a gate with the same margin of its own.
void MarginToProto(const Gate& from, v1::Gate* to) {
  if (from.margin_implied) return;
  switch (from.kind) {
    case MarginKind::kRatio:
      return to->set_ratio(from.margin);
    case MarginKind::kAbsolute:
      return to->set_absolute(from.margin);
    case MarginKind::kExact:
      return to->set_exact(true);
  }
}

// Converts the fields that ToProto() cannot map by name. Of the arms' variables, it includes only
// the names.
void FinishBenchmark(const Benchmark& benchmark, v1::Benchmark* to) {
  for (std::size_t i = 0; i < benchmark.arms.size(); ++i) {
    for (const auto& [name, value] : benchmark.arms[i].env) {
      (*to->mutable_arms(static_cast<int>(i))->mutable_env())[name] = "";
    }
  }
  for (std::size_t i = 0; i < benchmark.gates.size(); ++i) {
    MarginToProto(benchmark.gates[i], to->mutable_gates(static_cast<int>(i)));
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

void ToProto(const BuildPlan& plan, v1::BuildPlan* to) { WriteFields(plan, to); }

void ToProto(const Report& report, SessionState state, v1::Update* to) {
  WriteFields(report, to);
  for (std::size_t i = 0; i < report.comparisons.size(); ++i) {
    MarginToProto(report.comparisons[i], to->mutable_comparisons(static_cast<int>(i)));
  }
  to->set_state(ToWire<v1::SessionState>(state));
}

void ToProto(const SessionSnapshot& snapshot, std::uint64_t seed, v1::Started* to) {
  WriteFields(snapshot.machine.value_or(MachineReport{}), to);
  to->set_seed(seed);
  to->set_found_benchmarks(static_cast<std::uint32_t>(CountFound(snapshot.found)));
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
  if (snapshot.machine) ToProto(snapshot, record.spec.seed, to->mutable_started());
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

void ToProto(const GateSummary& summary, v1::Summary* to) {
  WriteFields(summary, to);
  to->set_number(summary.number);
}

Result<GateSummary> FromProto(const v1::Summary& from) {
  FieldReader reader;
  GateSummary summary;
  ReadFields(reader, "", from, &summary);
  summary.number = from.number();
  if (!reader.ok()) return std::move(reader).error();
  return summary;
}

Result<SummaryQuery> FromProto(const v1::ListSummariesRequest& from) {
  SummaryQuery query;
  query.benchmark = from.benchmark();
  query.oldest_first = from.oldest_first();
  if (query.oldest_first) query.beyond = from.after();
  Result<Page> page = ReadPage(from.page_size(), from.page_token());
  if (!page) return std::move(page).error();
  query.limit = page->limit;
  query.beyond = page->beyond.value_or(query.beyond);
  return query;
}

Result<Page> ReadPage(std::uint64_t size, const std::string& token) {
  constexpr std::uint64_t kUsual = 100;
  constexpr std::uint64_t kLargest = 500;
  Page page;
  page.limit = size == 0 ? kUsual : std::min(size, kLargest);
  if (token.empty()) return page;
  const char* const end = token.data() + token.size();
  const auto [stopped, failed] = std::from_chars(token.data(), end, page.beyond.emplace());
  if (failed == std::errc{} && stopped == end) return page;
  return InvalidArgument("page_token", "not issued by this daemon", "omit it to start over");
}

}  // namespace benchd::convert
