#pragma once

#include <google/protobuf/timestamp.pb.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace benchd::client {

using Json = nlohmann::ordered_json;

// Building blocks of all JSON output.

/// JSON on lines indented by `indent`, or on one line if it is -1. Invalid UTF-8 is replaced.
/// Control characters, including those above ASCII, are escaped, so a terminal cannot interpret
/// them.
std::string JsonText(const Json& json, int indent);
/// On one line.
std::string Line(const Json& json);

/// Adds a number. A value that is not finite cannot be represented in JSON and is omitted.
void Put(Json& json, const char* key, double value);

/// Adds a text unless it is empty.
void PutText(Json& json, const char* key, std::string_view text);

/// The beginning of a line: event, session (if any) and time.
Json Named(const char* event, const std::string& session, const google::protobuf::Timestamp& time);

}  // namespace benchd::client
