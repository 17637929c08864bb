#include "client/present/json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/reflection.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"
#include "client/present/words.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

// Adds the commit of each arm, which is the same in all benchmarks.
void AddCommitsJson(Json& json, const v1::SessionSpec& spec) {
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.has_commit()) json["commits"][arm.name()] = MessageJson(arm.commit());
    }
  }
}

}  // namespace

void AddGeometricMeans(Json& json, const v1::Update& update) {
  for (const v1::GeometricMean& one : update.geometric_means()) {
    json["geometric_means"].push_back(MessageJson(one));
  }
}

std::string EventJson(const v1::SessionEvent& event) {
  const google::protobuf::FieldDescriptor* const what =
      event.GetReflection()->GetOneofFieldDescriptor(event, event.GetDescriptor()->oneof_decl(0));
  // An event of a newer release.
  if (what == nullptr) return Line(Named("unknown", event.session(), event.time()));
  Json json = Named(what->name().c_str(), event.session(), event.time());
  AddFields(json, event.GetReflection()->GetMessage(event, what));
  if (event.has_verdict()) AddGeometricMeans(json, event.verdict());
  // The values at the end were unknown when the session started.
  if (event.has_started()) {
    for (Json& setting : json["isolation"]) setting.erase("at_end");
  }
  return Line(json);
}

std::string MessageLine(const char* event, const std::string& session,
                        const google::protobuf::Message& message,
                        const google::protobuf::Timestamp& now) {
  Json json = Named(event, session, now);
  AddFields(json, message);
  return Line(json);
}

std::string SubmittedJson(const v1::SubmitResponse& response, const v1::SessionSpec& spec,
                          const google::protobuf::Timestamp& now) {
  Json json = Named("queued", response.session(), now);
  json["position"] = response.position();
  if (response.has_eta_seconds()) Put(json, "eta_s", response.eta_seconds());
  AddCommitsJson(json, spec);
  return Line(json);
}

std::string CommitsJson(const std::string& session, const v1::SessionSpec& spec,
                        const google::protobuf::Timestamp& now) {
  Json json = Named("commits", session, now);
  AddCommitsJson(json, spec);
  return json.contains("commits") ? Line(json) : "";
}

std::string SameCommitJson(const v1::Commit& commit, const google::protobuf::Timestamp& now) {
  Json json = Named("same_commit", "", now);
  json["verdict"] = Word(v1::VERDICT_PASS);
  json["commit"] = MessageJson(commit);
  return Line(json);
}

std::string CancelJson(const std::string& session, v1::SessionState state,
                       const google::protobuf::Timestamp& now) {
  Json json = Named("cancel", session, now);
  PutText(json, "state", Word(state));
  return Line(json);
}

std::string MoveJson(const v1::MoveRequest& request, const v1::MoveResponse& response,
                     const google::protobuf::Timestamp& now) {
  Json json = Named("move", response.session(), now);
  json["priority"] = request.priority();
  json["position"] = response.position();
  return Line(json);
}

std::string VersionJson(const std::string& client, const v1::QueueStatus* daemon,
                        const google::protobuf::Timestamp& now) {
  Json json = Named("version", "", now);
  json["client"] = client;
  json["schema"] = kJsonSchemaVersion;
  if (daemon != nullptr) {
    json["daemon"] = daemon->version();
    json["pid"] = daemon->pid();
  }
  return Line(json);
}

std::string ExportJson(const v1::Session& session, std::span<const v1::Run> runs) {
  // The outcome of the session: its result, failure or cancellation.
  v1::Session result = session;
  result.clear_spec();
  result.clear_environment_names();
  result.clear_history();
  result.clear_log();
  Json json;
  json["session"] = session.session();
  json["spec"] = MessageJson(session.spec());
  json["result"] = MessageJson(result);
  json["result"].erase("uid");
  Json& list = json["runs"] = Json::array();
  for (const v1::Run& run : runs) list.push_back(MessageJson(run));
  return Line(json);
}

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Fields that are written only if their value is not false, 0 or empty.
const std::set<std::string_view> kToldIfAny{
    "benchd.v1.Arm.shell",
    "benchd.v1.Benchmark.adapter",
    "benchd.v1.Benchmark.hooks",
    "benchd.v1.BuildPlan.from_bundle",
    "benchd.v1.Summary.labels",
    "benchd.v1.Summary.control_changed",
    "benchd.v1.Run.signal",
    "benchd.v1.Benchmark.ignore_failure",
    "benchd.v1.Benchmark.accept_exit",
    "benchd.v1.Benchmark.parse_file",
    "benchd.v1.Benchmark.allow_missing",
    "benchd.v1.Benchmark.check_output",
    "benchd.v1.Benchmark.harness",
    "benchd.v1.Benchmark.only",
    "benchd.v1.Benchmark.inner",
    "benchd.v1.Benchmark.no_groups",
    "benchd.v1.Benchmark.control",
    "benchd.v1.Benchmark.controls",
    "benchd.v1.Started.found_benchmarks",
    "benchd.v1.FailedRun.warmup",
    "benchd.v1.Session.history",
    "benchd.v1.SessionSpec.confirm",
    "benchd.v1.SessionSpec.early_looks",
    "benchd.v1.SessionSpec.keep_all",
    "benchd.v1.SessionSpec.labels",
    "benchd.v1.SessionSpec.lfs_pointers",
    "benchd.v1.Update.control_changed",
    "benchd.v1.Update.estimates",
    "benchd.v1.Update.explanations",
    "benchd.v1.Update.orders",
    "benchd.v1.Session.environment_names",
    "benchd.v1.ReserveResponse.remaining_seconds",
};

// Fields that are never written: they are redundant, of no use, or values of the environment.
const std::set<std::string_view> kUntold{
    "benchd.v1.Session.session",
    "benchd.v1.Summary.session",
    "benchd.v1.Summary.number",
    "benchd.v1.Summary.position",
    "benchd.v1.SessionSpec.environment",
    "benchd.v1.Started.benchmark_cpus",
    "benchd.v1.Started.housekeeping_cpus",
    "benchd.v1.Started.user_mode",
    "benchd.v1.Update.geometric_means",
    "benchd.v1.Update.time_left_seconds",
    "benchd.v1.Update.worst_runs",
    "benchd.v1.Hooks.shell",
    "benchd.v1.Hooks.interpreter",
    "benchd.v1.Benchmark.output_path",
    "benchd.v1.Comparison.eta_seconds",
    "benchd.v1.Comparison.forecast",
    "benchd.v1.Estimate.eta_seconds",
    "benchd.v1.Failed.refused",
    "benchd.v1.FailedRun.commit",
    "benchd.v1.Warning.share",
    "benchd.v1.Run.metrics",
    "benchd.v1.MachineStatus.session",
    "benchd.v1.QueueStatus.version",
    "benchd.v1.QueueStatus.pid",
    "benchd.v1.QueueStatus.housekeeping_cpus",
};

template <typename M>
const M& As(const Message& message) {
  return static_cast<const M&>(message);
}

/// Returns whether the field is a margin, which is written with its kind: ratio or absolute.
bool IsMargin(const FieldDescriptor& field) {
  return field.containing_oneof() != nullptr && field.containing_oneof()->name() == "margin";
}

void PutMargin(Json& json, const Message& of, const FieldDescriptor& field) {
  const bool gate = of.GetDescriptor() == v1::Gate::descriptor();
  json["margin"] = of.GetReflection()->GetDouble(of, &field);
  json[gate ? "kind" : "margin_kind"] = field.name().ends_with("ratio") ? "ratio" : "absolute";
}

/// Writes the number of runs by arm; in a suite, by benchmark and arm. In the same way, writes when
/// arms retired.
void PutRuns(Json& json, const v1::Update& update) {
  std::set<std::string> benchmarks;
  for (const v1::ArmRuns& runs : update.runs()) benchmarks.insert(runs.benchmark());
  Json counts = Json::object();
  Json retired = Json::object();
  for (const v1::ArmRuns& runs : update.runs()) {
    const std::string key =
        benchmarks.size() > 1 ? runs.benchmark() + "/" + runs.arm() : runs.arm();
    counts[key] = runs.runs();
    if (runs.has_retired_after()) retired[key] = runs.retired_after();
  }
  json["runs"] = std::move(counts);
  if (!retired.empty()) json["retired_after"] = std::move(retired);
}

/// Writes a field that needs a special form. Called even if the field is not set.
using Tell = void (*)(Json& json, const Message& of);

const std::map<std::string_view, Tell> kToldOtherwise{
    // Names only: values are never exported.
    {"benchd.v1.Arm.env",
     [](Json& json, const Message& of) {
       for (const auto& [name, value] : As<v1::Arm>(of).env()) json["env"].push_back(name);
     }},
    {"benchd.v1.Benchmark.output",
     [](Json& json, const Message& of) {
       const auto& benchmark = As<v1::Benchmark>(of);
       json["output"] = benchmark.output() == v1::OUTPUT_KIND_FILE
                            ? benchmark.output_path()
                            : std::string(Word(benchmark.output()));
     }},
    {"benchd.v1.Comparison.estimator",
     [](Json& json, const Message& of) {
       json["estimator"] = EstimatorWord(As<v1::Comparison>(of).estimator());
     }},
    {"benchd.v1.Estimate.estimator",
     [](Json& json, const Message& of) {
       json["estimator"] = EstimatorWord(As<v1::Estimate>(of).estimator());
     }},
    // An exact gate has this kind instead of "absolute"; in a request it has no margin.
    {"benchd.v1.Comparison.exact",
     [](Json& json, const Message& of) {
       if (As<v1::Comparison>(of).exact()) json["margin_kind"] = "exact";
     }},
    {"benchd.v1.Gate.exact",
     [](Json& json, const Message& of) {
       if (As<v1::Gate>(of).exact()) json["kind"] = "exact";
     }},
    // The result of the last look alone is written as a separate object.
    {"benchd.v1.Comparison.last_change",
     [](Json& json, const Message& of) {
       const auto& comparison = As<v1::Comparison>(of);
       if (comparison.has_last_change()) {
         json["last"]["change"] = MessageJson(comparison.last_change());
       }
     }},
    {"benchd.v1.Comparison.last_difference",
     [](Json& json, const Message& of) {
       const auto& comparison = As<v1::Comparison>(of);
       if (comparison.has_last_difference()) {
         json["last"]["difference"] = MessageJson(comparison.last_difference());
       }
     }},
    {"benchd.v1.SessionSpec.estimator",
     [](Json& json, const Message& of) {
       json["estimator"] = EstimatorWord(As<v1::SessionSpec>(of).estimator());
     }},
    {"benchd.v1.SessionSpec.rule",
     [](Json& json, const Message& of) {
       const double width = As<v1::SessionSpec>(of).rule().precision_width();
       json["rule"] = width > 0 ? "precision" : "margin";
       if (width > 0) json["precision_width"] = width;
     }},
    {"benchd.v1.SessionSpec.limits",
     [](Json& json, const Message& of) {
       json["limits"] = MessageJson(As<v1::SessionSpec>(of).limits());
     }},
    {"benchd.v1.Update.runs",
     [](Json& json, const Message& of) { PutRuns(json, As<v1::Update>(of)); }},
    {"benchd.v1.Warning.severity",
     [](Json& json, const Message& of) {
       json["severity"] = NameOf(convert::FromProto(As<v1::Warning>(of)).severity);
     }},
    {"benchd.v1.Warning.hint",
     [](Json& json, const Message& of) {
       PutText(json, "hint", convert::FromProto(As<v1::Warning>(of)).hint);
     }},
    {"benchd.v1.Session.queued",
     [](Json& json, const Message& of) {
       const auto& session = As<v1::Session>(of);
       if (session.state() == v1::SESSION_STATE_QUEUED && session.has_queued()) {
         json["queued"] = MessageJson(session.queued());
       }
     }},
    // A hook of the whole session does not belong to a block.
    {"benchd.v1.FailedRun.block",
     [](Json& json, const Message& of) {
       const auto& run = As<v1::FailedRun>(of);
       if (!run.arm().empty() && run.has_block()) json["block"] = run.block();
     }},
};

// ---- the general rule ----

Json ValueOfMessage(const Message& message) {
  if (message.GetDescriptor() == google::protobuf::Timestamp::descriptor()) {
    return Rfc3339(As<google::protobuf::Timestamp>(message));
  }
  return MessageJson(message);
}

/// Returns the value of a field that is not repeated; null if JSON cannot represent it.
Json ValueOf(const Message& of, const FieldDescriptor& field) {
  const auto& reflection = *of.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(of, &field);
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.GetInt32(of, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetUInt32(of, &field);
    case FieldDescriptor::CPPTYPE_UINT64: {
      const std::uint64_t value = reflection.GetUInt64(of, &field);
      // JavaScript and jq round 64-bit integers. Counts never become that large, but seeds do.
      return field.name() == "seed" ? Json(std::to_string(value)) : Json(value);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const double value = reflection.GetDouble(of, &field);
      return std::isfinite(value) ? Json(value) : Json();
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text = reflection.GetString(of, &field);
      return text.empty() ? Json() : Json(std::move(text));
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      std::string word = EnumWord(*field.enum_type(), reflection.GetEnumValue(of, &field));
      return word.empty() ? Json() : Json(std::move(word));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ValueOfMessage(reflection.GetMessage(of, &field));
    default:
      return {};
  }
}

Json ListOf(const Message& of, const FieldDescriptor& field) {
  const auto& reflection = *of.GetReflection();
  Json list = Json::array();
  for (int i = 0; i < reflection.FieldSize(of, &field); ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      list.push_back(ValueOfMessage(reflection.GetRepeatedMessage(of, &field, i)));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      list.push_back(reflection.GetRepeatedString(of, &field, i));
    } else {
      list.push_back(reflection.GetRepeatedInt32(of, &field, i));
    }
  }
  return list;
}

/// Returns the facts of the machine by name.
Json FactsOf(const Message& of, const FieldDescriptor& field) {
  const auto& reflection = *of.GetReflection();
  Json facts = Json::object();
  for (const auto& fact : reflection.GetRepeatedFieldRef<v1::EnvironmentFact>(of, &field)) {
    facts[fact.name()] = fact.value();
  }
  return facts;
}

/// Returns the entries of a map, sorted by name.
Json MapOf(const Message& of, const FieldDescriptor& field) {
  std::map<std::string, std::string> sorted;
  const auto& reflection = *of.GetReflection();
  const google::protobuf::Descriptor& entry = *field.message_type();
  for (int i = 0; i < reflection.FieldSize(of, &field); ++i) {
    const Message& one = reflection.GetRepeatedMessage(of, &field, i);
    sorted[one.GetReflection()->GetString(one, entry.map_key())] =
        one.GetReflection()->GetString(one, entry.map_value());
  }
  return sorted;
}

bool IsOfFacts(const FieldDescriptor& field) {
  return field.message_type() == v1::EnvironmentFact::descriptor();
}

bool IsAny(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value != 0;
  return !value.empty();
}

}  // namespace

void AddFields(Json& json, const Message& message) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (kUntold.contains(field.full_name())) continue;
    if (const auto own = kToldOtherwise.find(field.full_name()); own != kToldOtherwise.end()) {
      own->second(json, message);
      continue;
    }
    if (field.has_presence() && !message.GetReflection()->HasField(message, &field)) continue;
    if (IsMargin(field)) {
      PutMargin(json, message, field);
      continue;
    }
    Json value = IsOfFacts(field)      ? FactsOf(message, field)
                 : field.is_map()      ? MapOf(message, field)
                 : field.is_repeated() ? ListOf(message, field)
                                       : ValueOf(message, field);
    if (value.is_null() || (kToldIfAny.contains(field.full_name()) && !IsAny(value))) continue;
    json[JsonKey(field)] = std::move(value);
  }
}

Json MessageJson(const Message& message) {
  Json json = Json::object();
  AddFields(json, message);
  return json;
}

}  // namespace benchd::client
