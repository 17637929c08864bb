#include "proto/convert/from_proto.h"

#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "proto/convert/field_reader.h"
#include "proto/convert/message_fields.h"

namespace benchd::convert {
namespace {

// base, base-2, ... and candidate, candidate-2, ..., counted within the role.
std::string DefaultName(ArmRole role, int number_in_role) {
  const std::string name = role == ArmRole::kReference ? "base" : "candidate";
  return number_in_role == 1 ? name : name + "-" + std::to_string(number_in_role);
}

// Roles and names that were left open: the first arm is the reference where nobody names one.
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
      reader.Fail(field + ".arms[" + std::to_string(i) + "].role",
                  "the placebo is added by SessionSpec.placebo");
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
    const std::string path = field + ".gates[" + std::to_string(i) + "]";
    Gate& gate = benchmark.gates[i];
    gate.margin = default_margin;
    if (from.has_ratio()) gate.margin = reader.Finite(path + ".ratio", from.ratio());
    if (from.has_absolute()) {
      gate.kind = MarginKind::kAbsolute;
      gate.margin = reader.Finite(path + ".absolute", from.absolute());
    }
  }
}

Rule ReadRule(FieldReader& reader, const v1::Rule& from) {
  const double width = reader.Finite("rule.precision_width", from.precision_width());
  if (width < 0) reader.Fail("rule.precision_width", "is negative");
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
    const std::string field = "benchmarks[" + std::to_string(i) + "]";
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
  FieldReader reader;
  Comparison comparison;
  ReadFields(reader, "", found, &comparison);
  if (from.has_margin_ratio()) comparison.margin = reader.Finite("margin", from.margin_ratio());
  if (from.has_margin_absolute()) {
    comparison.margin_kind = MarginKind::kAbsolute;
    comparison.margin = reader.Finite("margin", from.margin_absolute());
  }
  if (!reader.ok()) return std::move(reader).error();
  return comparison;
}

Timestamp FromProto(const google::protobuf::Timestamp& time) {
  return Timestamp(std::chrono::seconds(time.seconds()) + Nanoseconds(time.nanos()));
}

}  // namespace benchd::convert
