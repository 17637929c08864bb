#pragma once

#include <google/protobuf/message.h>

#include <span>
#include <string>
#include <string_view>

#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/present/json_value.h"
#include "core/base/result.h"

namespace benchd::client {

/// The version of docs/schema/benchctl-v1.schema.json, which describes every line. The second
/// number increases with each field that is added.
inline constexpr char kJsonSchemaVersion[] = "1.1";

/// Converts the fields of a message to the contract's JSON. The rule is the same for all messages:
/// - A key is the name of the field, with `_s` for `_seconds`.
/// - Empty strings, numbers that are not finite, and fields that are not set are left out.
/// - Lists are written even if they are empty. The facts of the machine become an object.
/// - An enum becomes its word (client/present/words.h), a time RFC 3339, and a seed a string.
///
/// Tables in json.cc list the exceptions and the fields that are never written.
Json MessageJson(const google::protobuf::Message& message);

/// Adds the same fields to an existing object.
void AddFields(Json& json, const google::protobuf::Message& message);

/// Adds `geometric_means` to the line `verdict`, if there are any.
void AddGeometricMeans(Json& json, const v1::Update& update);

// The functions below return one JSON object on one line, without the newline. Keys are those of
// the contract. Numbers are in SI units, ratios are fractions, and doubles read back exactly.
// Unavailable values are left out.

/// Renders a line of `compare --json` and `watch --json`: queued, started, update, verdict, failed
/// or cancelled.
std::string EventJson(const v1::SessionEvent& event);

/// Renders a single message as a line, for `list` and `show` (event "session"), `machine`,
/// `doctor`, `reserve`, and `pause`, `resume` and `drain` (event "queue").
///
/// @param session  the session that the message belongs to; may be empty
std::string MessageLine(const char* event, const std::string& session,
                        const google::protobuf::Message& message,
                        const google::protobuf::Timestamp& now);

/// Renders the output of `submit --json`: event "queued", with the commits of the arms if they have
/// any.
std::string SubmittedJson(const v1::SubmitResponse& response, const v1::SessionSpec& spec,
                          const google::protobuf::Timestamp& now);

/// Renders the first line of `compare --json` if the arms have commits: event "commits". Otherwise
/// empty.
std::string CommitsJson(const std::string& session, const v1::SessionSpec& spec,
                        const google::protobuf::Timestamp& now);

/// Renders the output of a comparison with --same-is-pass if both sides are the same commit: event
/// "same_commit".
std::string SameCommitJson(const v1::Commit& commit, const google::protobuf::Timestamp& now);

/// Renders the output of `cancel --json`: event "cancel" with the new state of the session.
std::string CancelJson(const std::string& session, v1::SessionState state,
                       const google::protobuf::Timestamp& now);

/// Renders the output of `move --json`: event "move" with the new priority and place in the queue.
std::string MoveJson(const v1::MoveRequest& request, const v1::MoveResponse& response,
                     const google::protobuf::Timestamp& now);

/// Renders the event "version". `daemon` is null if the daemon is not running.
std::string VersionJson(const std::string& client, const v1::QueueStatus* daemon,
                        const google::protobuf::Timestamp& now);

/// Renders the output of `export --format json`: spec, result and runs of a session in one object.
std::string ExportJson(const v1::Session& session, std::span<const v1::Run> runs);

// Functions that read this JSON back.

/// Returns the key of a field: its name, with `_s` for `_seconds`.
std::string JsonKey(const google::protobuf::FieldDescriptor& field);

/// Reads the fields of a message from the output of MessageJson(). Fields that MessageJson() leaves
/// out stay unset, such as values of the environment. Unknown keys and words are ignored, because
/// they may come from a newer release.
///
/// @errors kInvalidArgument: a value of the wrong type, as in "KEY: expected a number".
Result<void> ReadMessage(const Json& json, google::protobuf::Message* message);

}  // namespace benchd::client
