#include "client/render/json.h"

#include <cmath>

#include "client/render/findings.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

// Of all benchmarks alike: an arm's commit does not change between them.
void AddCommitsJson(Json& json, const v1::SessionSpec& spec) {
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.has_commit()) json["commits"][arm.name()] = MessageJson(arm.commit());
    }
  }
}

}  // namespace

std::string EventJson(const v1::SessionEvent& event) {
  const google::protobuf::FieldDescriptor* const what =
      event.GetReflection()->GetOneofFieldDescriptor(event, event.GetDescriptor()->oneof_decl(0));
  if (what == nullptr) return Line(Named("unknown", event.session(), event.time()));  // a newer one
  Json json = Named(what->name().c_str(), event.session(), event.time());
  AddFields(json, event.GetReflection()->GetMessage(event, what));
  if (event.has_verdict()) AddGeometricMeans(json, event.verdict());
  // The end of a session is nothing that was known at its start.
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
  // What became of it, whatever it is.
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

std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Put(Json& json, const char* key, double value) {
  if (std::isfinite(value)) json[key] = value;
}

void PutText(Json& json, const char* key, std::string_view text) {
  if (!text.empty()) json[key] = text;
}

Json Named(const char* event, const std::string& session, const google::protobuf::Timestamp& time) {
  Json json;
  json["event"] = event;
  if (!session.empty()) json["session"] = session;
  json["time"] = Rfc3339(time);
  return json;
}

}  // namespace benchd::client
