#pragma once

#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"
#include "client/render/message_json.h"

namespace benchd::client {

// What the lines of json.h and analysis_json.h are made of.

/// On one line; bytes that are not UTF-8 are replaced.
std::string Line(const Json& json);

/// Adds a number; one that is not finite has no place in JSON and could not be had: it is absent.
void Put(Json& json, const char* key, double value);

/// Adds a text that is not empty.
void PutText(Json& json, const char* key, std::string_view text);

/// The beginning of a line: event, session (where there is one) and time.
Json Named(const char* event, const std::string& session, const google::protobuf::Timestamp& time);

}  // namespace benchd::client
