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

/// Of docs/schema/benchctl-v1.schema.json, which describes every line: its second number grows with
/// each field that is added.
inline constexpr char kJsonSchemaVersion[] = "1.1";

/// The fields of a message as the contract's JSON, by one rule for all messages:
///
/// a field by its name, `_seconds` as `_s`; a text that is empty, a number that is not finite, a
/// field or a message that is not set: absent; a list always, the machine's facts as an object; an
/// enum by its word, without one as what it stands for (client/present/words.h); a time as RFC
/// 3339; 64 random bits (a seed) as text.
///
/// What is told otherwise, or not at all, is in one table in json.cc.
Json MessageJson(const google::protobuf::Message& message);

/// Adds them to an object with others.
void AddFields(Json& json, const google::protobuf::Message& message);

/// Adds `geometric_means` to the line `verdict`, where there are any.
void AddGeometricMeans(Json& json, const v1::Update& update);

// One JSON object on one line (without the newline), with the contract's names: SI numbers, ratios
// as fractions, doubles that read back exactly, what could not be had left out.

/// A line of `compare --json` and `watch --json`: queued, started, update, verdict, failed,
/// cancelled.
std::string EventJson(const v1::SessionEvent& event);

/// A message as one line with nothing else in it: `list`, `show` (event "session"), `machine`,
/// `doctor`, `reserve`, `pause`, `resume` and `drain` (event "queue").
///
/// @param session  whose it is; empty where it is none's
std::string MessageLine(const char* event, const std::string& session,
                        const google::protobuf::Message& message,
                        const google::protobuf::Timestamp& now);

/// What `submit --json` prints: event "queued", with the commits of the arms where they have some.
std::string SubmittedJson(const v1::SubmitResponse& response, const v1::SessionSpec& spec,
                          const google::protobuf::Timestamp& now);

/// The first line of `compare --json` where the arms have commits: event "commits". Else empty.
std::string CommitsJson(const std::string& session, const v1::SessionSpec& spec,
                        const google::protobuf::Timestamp& now);

/// What a comparison with --same-is-pass prints whose sides are one commit: event "same_commit".
std::string SameCommitJson(const v1::Commit& commit, const google::protobuf::Timestamp& now);

/// What `cancel --json` prints: event "cancel" with the state that the session has now.
std::string CancelJson(const std::string& session, v1::SessionState state,
                       const google::protobuf::Timestamp& now);

/// What `move --json` prints: event "move" with the priority and the place that it gave.
std::string MoveJson(const v1::MoveRequest& request, const v1::MoveResponse& response,
                     const google::protobuf::Timestamp& now);

/// event "version"; `daemon` is absent when none runs.
std::string VersionJson(const std::string& client, const v1::QueueStatus* daemon,
                        const google::protobuf::Timestamp& now);

/// `export --format json`: spec, result and runs of a session in one object.
std::string ExportJson(const v1::Session& session, std::span<const v1::Run> runs);

// The way back from the JSON of client/present/json.h.

/// How a field is called there: by its name, `_seconds` as `_s`.
std::string JsonKey(const google::protobuf::FieldDescriptor& field);

/// The fields of a message from what MessageJson() told of it. What that leaves out stays unset:
/// values of the environment, where output went. Keys and words that this version does not know
/// are passed over.
///
/// @errors kInvalidArgument "KEY: expected a number": a value of another kind.
Result<void> ReadMessage(const Json& json, google::protobuf::Message* message);

}  // namespace benchd::client
