#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "client/render/json.h"
#include "core/base/result.h"

namespace benchd::client {

// The way back from the JSON of client/render/json.h.

/// How a field is called there: by its name, `_seconds` as `_s`.
std::string JsonKey(const google::protobuf::FieldDescriptor& field);

/// The fields of a message from what MessageJson() told of it. What that leaves out stays unset:
/// values of the environment, where output went. Keys and words that this version does not know
/// are passed over.
///
/// @errors kInvalidArgument "KEY: expected a number": a value of another kind.
Result<void> ReadMessage(const Json& json, google::protobuf::Message* message);

}  // namespace benchd::client
