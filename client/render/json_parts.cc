#include "client/render/json_parts.h"

#include <cmath>
#include <set>

#include "client/render/words.h"

namespace benchd::client {
namespace {

Json ToJson(const v1::Effect& effect) {
  Json json;
  Put(json, "estimate", effect.estimate());
  if (effect.has_lo()) Put(json, "lo", effect.lo());
  if (effect.has_hi()) Put(json, "hi", effect.hi());
  return json;
}

Json ToJson(const v1::Comparison& c) {
  Json json;
  json["benchmark"] = c.benchmark();
  json["reference"] = c.reference();
  json["candidate"] = c.candidate();
  json["metric"] = c.metric();
  PutText(json, "unit", c.unit());
  json["role"] = RoleWord(c.role());
  PutText(json, "better", BetterWord(c.better()));
  if (c.margin_case() == v1::Comparison::kMarginRatio) {
    Put(json, "margin", c.margin_ratio());
    json["margin_kind"] = "ratio";
  } else if (c.margin_case() == v1::Comparison::kMarginAbsolute) {
    Put(json, "margin", c.margin_absolute());
    json["margin_kind"] = "absolute";
  }
  Put(json, "confidence", c.confidence());
  json["method"] = MethodWord(c.method());
  json["estimator"] = EstimatorWord(c.estimator());
  json["n_reference"] = c.n_reference();
  json["n_candidate"] = c.n_candidate();
  if (c.has_mean_reference()) Put(json, "mean_reference", c.mean_reference());
  if (c.has_mean_candidate()) Put(json, "mean_candidate", c.mean_candidate());
  if (c.has_sd_reference()) Put(json, "sd_reference", c.sd_reference());
  if (c.has_sd_candidate()) Put(json, "sd_candidate", c.sd_candidate());
  if (c.has_change()) json["change"] = ToJson(c.change());
  if (c.has_difference()) json["difference"] = ToJson(c.difference());
  if (c.has_p_value()) Put(json, "p_value", c.p_value());
  if (c.has_pairing_gain()) Put(json, "pairing_gain", c.pairing_gain());
  PutText(json, "verdict", VerdictWord(c.verdict()));
  if (c.has_decided()) {
    Json& decided = json["decided"];
    decided["blocks"] = c.decided().blocks();
    if (c.decided().has_lo()) Put(decided, "lo", c.decided().lo());
    if (c.decided().has_hi()) Put(decided, "hi", c.decided().hi());
  }
  json["flag"] = FlagWord(c.flag());
  return json;
}

Json ToJson(const v1::Warning& warning) {
  Json json;
  json["code"] = warning.code();
  json["message"] = warning.message();
  PutText(json, "benchmark", warning.benchmark());
  PutText(json, "arm", warning.arm());
  return json;
}

Json RunCounts(const v1::Update& update) {
  std::set<std::string> benchmarks;
  for (const v1::ArmRuns& runs : update.runs()) benchmarks.insert(runs.benchmark());
  Json json = Json::object();
  for (const v1::ArmRuns& runs : update.runs()) {
    json[benchmarks.size() > 1 ? runs.benchmark() + "/" + runs.arm() : runs.arm()] = runs.runs();
  }
  return json;
}

}  // namespace

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

Json FactsJson(const google::protobuf::RepeatedPtrField<v1::EnvironmentFact>& facts) {
  Json json = Json::object();
  for (const v1::EnvironmentFact& fact : facts) json[fact.name()] = fact.value();
  return json;
}

Json SettingsJson(const google::protobuf::RepeatedPtrField<v1::Setting>& settings, bool with_end) {
  Json json = Json::array();
  for (const v1::Setting& setting : settings) {
    Json entry;
    entry["setting"] = setting.setting();
    PutText(entry, "wanted", setting.wanted());
    PutText(entry, "actual", setting.actual());
    entry["held"] = setting.held();
    PutText(entry, "why", setting.why());
    if (with_end) PutText(entry, "at_end", setting.at_end());
    json.push_back(std::move(entry));
  }
  return json;
}

void AddUpdate(Json& json, const v1::Update& update) {
  PutText(json, "state", StateWord(update.state()));
  PutText(json, "verdict", VerdictWord(update.verdict()));
  PutText(json, "basis", BasisWord(update.basis()));
  Put(json, "elapsed_s", update.elapsed_seconds());
  json["runs"] = RunCounts(update);
  if (update.has_eta_seconds()) Put(json, "eta_s", update.eta_seconds());
  json["disturbances"] = update.disturbances();
  json["comparisons"] = Json::array();
  for (const v1::Comparison& c : update.comparisons()) json["comparisons"].push_back(ToJson(c));
  json["warnings"] = Json::array();
  for (const v1::Warning& w : update.warnings()) json["warnings"].push_back(ToJson(w));
}

}  // namespace benchd::client
