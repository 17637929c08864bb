#include "client/render/json_parts.h"

#include <cmath>

#include "client/render/words.h"

namespace benchd::client {
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
