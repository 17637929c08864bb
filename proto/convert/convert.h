#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/summary.h"

namespace benchd::v1 {
class BuildPlan;
class Comparison;
class Failed;
class ListSummariesRequest;
class MachineStatus;
class NoiseSource;
class Queued;
class Run;
class Session;
class SessionSpec;
class Started;
class Summary;
class Update;
class Warning;
}  // namespace benchd::v1

namespace google::protobuf {
class Timestamp;
}

/// The core's values as clients read them, and back. Absent stays absent, durations become seconds,
/// text that is not UTF-8 is made so, and no value of an environment variable ever leaves the
/// daemon.
///
/// Enums of the wire and of the model agree in their words and their order; a message's begins with
/// UNSPECIFIED, which has a default or a meaning of its own where it is used. A test holds the two
/// against each other (tests/convert/to_proto_test.cc).
namespace benchd::convert {

/// The wire's number of the model's first value. A flag that is none is said by UNSPECIFIED.
template <typename Model>
inline constexpr int kFirstOnWire = std::same_as<Model, Flag> ? 0 : 1;

template <typename Wire, typename Model>
constexpr Wire ToWire(Model value) {
  return static_cast<Wire>(static_cast<int>(value) + kFirstOnWire<Model>);
}

/// Nothing for UNSPECIFIED, and for a value that a newer peer knows.
template <typename Model, typename Wire>
constexpr std::optional<Model> ToModel(Wire wire) {
  const int index = static_cast<int>(wire) - kFirstOnWire<Model>;
  if (index < 0 || index >= static_cast<int>(NamesOf(Model{}).size())) return std::nullopt;
  return static_cast<Model>(index);
}

/// What a client asked for, as the core knows it, with the contract's defaults in every field that
/// was left open: names (main; base, candidate, candidate-2), the first arm as the reference,
/// margins of gates, limits. The seed stays 0 when absent: the caller draws it.
///
/// Checks only what the wire can say wrong: enum values nobody knows, numbers that are not finite,
/// durations that are not positive. Whether the request makes sense is ValidateSpec()'s matter.
/// @errors kInvalidArgument with the field's path first ("benchmarks[0].arms[1].role: ...").
Result<SessionSpec> FromProto(const v1::SessionSpec& proto);

/// What was found, without what was expected then (`expected_blocks`, `eta`).
/// @errors as above.
Result<Comparison> FromProto(const v1::Comparison& proto);

/// Of a daemon that sends no severity yet, with those of the warning's code.
Warning FromProto(const v1::Warning& proto);

Timestamp FromProto(const google::protobuf::Timestamp& time);

void ToProto(Timestamp time, google::protobuf::Timestamp* to);
/// With the names of the arms' own variables only.
void ToProto(const SessionSpec& spec, v1::SessionSpec* to);
void ToProto(const BuildPlan& plan, v1::BuildPlan* to);
void ToProto(const Report& report, SessionState state, v1::Update* to);
void ToProto(const MachineReport& machine, std::uint64_t seed, v1::Started* to);
void ToProto(const Failure& failure, v1::Failed* to);
/// The session's place in the queue; 0 once it left it.
void QueuedToProto(const SessionSnapshot& snapshot, v1::Queued* to);
void ToProto(const SessionRecord& record, v1::Session* to);
/// What happened to the session, oldest first.
void ToProto(const std::vector<HistoryEntry>& history, v1::Session* to);
/// `run` indexes into `spec`; indices outside it leave the names empty.
void ToProto(const Run& run, const SessionSpec& spec, v1::Run* to);
/// The part of a run that ToProto leaves out: what its harness' metrics mean.
void MetricsToProto(const Run& run, v1::Run* to);
void ToProto(const MachineStatus& status, v1::MachineStatus* to);
void ToProto(const NoiseSource& source, v1::NoiseSource* to);

void ToProto(const GateSummary& summary, v1::Summary* to);

/// @errors kInvalidArgument with the field's name for an enum value nobody knows, or a number that
///         is not finite.
Result<GateSummary> FromProto(const v1::Summary& from);

/// Whose summaries are asked for is left to who asks: `uid` stays absent. A limit of one more than
/// the page has tells whether there is another.
/// @errors kInvalidArgument for a page_token that is none of ours.
Result<SummaryQuery> FromProto(const v1::ListSummariesRequest& from);

/// Which page of a list a request asks for.
struct Page {
  std::uint64_t limit = 0;              ///< entries at most: 100 by default, never above 500
  std::optional<std::uint64_t> beyond;  ///< the number in its token; absent: the first page
};
/// @errors kInvalidArgument for a token that is none of this benchd's.
Result<Page> ReadPage(std::uint64_t size, const std::string& token);

}  // namespace benchd::convert
