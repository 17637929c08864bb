#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>

namespace benchd::client {

using Json = nlohmann::ordered_json;

/// The fields of a message as the contract's JSON, by one rule for all messages:
///
/// a field by its name, `_seconds` as `_s`; a text that is empty, a number that is not finite, a
/// field or a message that is not set: absent; a list always, the machine's facts as an object; an
/// enum by its word, without one as what it stands for (client/render/words.h); a time as RFC 3339;
/// 64 random bits (a seed) as text.
///
/// What is told otherwise, or not at all, is in one table in message_json.cc.
Json MessageJson(const google::protobuf::Message& message);

/// Adds them to an object with others.
void AddFields(Json& json, const google::protobuf::Message& message);

}  // namespace benchd::client
