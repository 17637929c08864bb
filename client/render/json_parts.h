#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

// What the lines of json.h and analysis_json.h are made of.

using Json = nlohmann::ordered_json;

/// On one line; bytes that are not UTF-8 are replaced.
std::string Line(const Json& json);

/// Adds a number; one that is not finite has no place in JSON and could not be had: it is absent.
void Put(Json& json, const char* key, double value);

/// Adds a text that is not empty.
void PutText(Json& json, const char* key, std::string_view text);

/// The beginning of a line: event, session (where there is one) and time.
Json Named(const char* event, const std::string& session, const google::protobuf::Timestamp& time);

/// The machine's facts by name.
Json FactsJson(const google::protobuf::RepeatedPtrField<v1::EnvironmentFact>& facts);

/// Settings in their order.
/// @param with_end  tells also how each stood when its session ended, where that is known
Json SettingsJson(const google::protobuf::RepeatedPtrField<v1::Setting>& settings, bool with_end);

/// The fields of an update or a verdict.
void AddUpdate(Json& json, const v1::Update& update);

}  // namespace benchd::client
