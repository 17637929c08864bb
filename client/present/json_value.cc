#include "client/present/json_value.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "client/present/words.h"
#include "core/base/printable.h"

namespace benchd::client {

std::string JsonText(const Json& json, int indent) {
  const std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  const auto escaped = [](std::string_view control) {
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x",
                  static_cast<unsigned>(CodePointOf(control)));
    return std::string(escape.data());
  };
  return WithoutControls(text, escaped, "\n");  // newlines separate JSON lines
}

std::string Line(const Json& json) { return JsonText(json, -1); }

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
