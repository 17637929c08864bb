#pragma once

#include <google/protobuf/timestamp.pb.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace benchd::client {

using Json = nlohmann::ordered_json;

// Building blocks of all JSON output.

/// Formats JSON on lines that are indented by `indent`, or on one line if `indent` is -1. Replaces
/// invalid UTF-8. Escapes control characters, including those above ASCII, so that a terminal
/// cannot interpret them.
std::string JsonText(const Json& json, int indent);
/// Formats JSON on one line.
std::string Line(const Json& json);

/// Adds a number unless it is not finite, which JSON cannot represent.
void Put(Json& json, const char* key, double value);

/// Adds a string unless it is empty.
void PutText(Json& json, const char* key, std::string_view text);

/// Returns the beginning of a line: the event, the session (if any) and the time.
Json Named(const char* event, const std::string& session, const google::protobuf::Timestamp& time);

}  // namespace benchd::client
