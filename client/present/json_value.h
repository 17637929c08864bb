#pragma once

#include <google/protobuf/timestamp.pb.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace benchd::client {

using Json = nlohmann::ordered_json;

// What the lines of all JSON answers are made of.

/// On lines indented by `indent`, or on one with -1; bytes that are not UTF-8 are replaced, and
/// control characters are escapes, those above ASCII too: nothing that a terminal would obey.
std::string JsonText(const Json& json, int indent);
/// On one line.
std::string Line(const Json& json);

/// Adds a number; one that is not finite has no place in JSON and could not be had: it is absent.
void Put(Json& json, const char* key, double value);

/// Adds a text that is not empty.
void PutText(Json& json, const char* key, std::string_view text);

/// The beginning of a line: event, session (where there is one) and time.
Json Named(const char* event, const std::string& session, const google::protobuf::Timestamp& time);

}  // namespace benchd::client
