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
#include "core/model/measurement.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/summary.h"

namespace benchd::v1 {
class BuildPlan;
class Comparison;
class Estimate;
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

/// Conversions between core's values and the messages that clients read. Absent fields stay absent,
/// durations become seconds, invalid UTF-8 is replaced, and values of environment variables never
/// leave the daemon.
///
/// Enums have the same names and order in messages and in the model, which
/// tests/convert/to_proto_test.cc checks. A message's enum begins with UNSPECIFIED, whose meaning
/// or default depends on the field.
namespace benchd::convert {

/// The number in messages of the first value of the model's enum. Flag::kNone is encoded as
/// UNSPECIFIED, and ErrorRate has no such value.
template <typename Model>
inline constexpr int kFirstOnWire =
    std::same_as<Model, Flag> || std::same_as<Model, ErrorRate> ? 0 : 1;

template <typename Wire, typename Model>
constexpr Wire ToWire(Model value) {
  return static_cast<Wire>(static_cast<int>(value) + kFirstOnWire<Model>);
}

/// Returns std::nullopt for UNSPECIFIED, and for a value that only a newer peer knows.
template <typename Model, typename Wire>
constexpr std::optional<Model> ToModel(Wire wire) {
  const int index = static_cast<int>(wire) - kFirstOnWire<Model>;
  if (index < 0 || index >= static_cast<int>(NamesOf(Model{}).size())) return std::nullopt;
  return static_cast<Model>(index);
}

/// Converts a client's request, and fills absent fields with the contract's defaults: names (main;
/// base, candidate, candidate-2), the first arm as the reference, margins of gates, limits. An
/// absent seed stays 0, and the caller draws one.
///
/// Checks only the encoding: unknown enum values, numbers that are not finite, durations that are
/// not positive. ValidateSpec() checks whether the request makes sense.
/// @errors kInvalidArgument, beginning with the field's path ("benchmarks[0].arms[1].role: ...")
Result<SessionSpec> FromProto(const v1::SessionSpec& proto);

/// Converts a result without its forecasts (`expected_blocks`, `eta`).
/// @errors as for a request
Result<Comparison> FromProto(const v1::Comparison& proto);

/// Converts an estimate without its forecast.
/// @errors as for a request
Result<Estimate> FromProto(const v1::Estimate& proto);

/// Converts a warning. If an older daemon sends no severity, it is derived from the warning's code.
Warning FromProto(const v1::Warning& proto);

Timestamp FromProto(const google::protobuf::Timestamp& time);

void ToProto(Timestamp time, google::protobuf::Timestamp* to);
/// Converts a request. Of the arms' own variables, it includes only the names.
void ToProto(const SessionSpec& spec, v1::SessionSpec* to);
void ToProto(const BuildPlan& plan, v1::BuildPlan* to);
void ToProto(const Report& report, SessionState state, v1::Update* to);
/// Converts the machine of a session that has one.
void ToProto(const SessionSnapshot& snapshot, std::uint64_t seed, v1::Started* to);
void ToProto(const Failure& failure, v1::Failed* to);
/// Converts the session's position in the queue, which is 0 once the session has left the queue.
void QueuedToProto(const SessionSnapshot& snapshot, v1::Queued* to);
void ToProto(const SessionRecord& record, v1::Session* to);
/// Adds the events of the session, oldest first.
void ToProto(const std::vector<HistoryEntry>& history, v1::Session* to);
/// Converts a run, whose indices refer to `spec`. Names for invalid indices stay empty.
void ToProto(const Run& run, const SessionSpec& spec, v1::Run* to);
/// Adds the part of a run that ToProto() leaves out: the descriptions of its harness's metrics.
void MetricsToProto(const Run& run, v1::Run* to);
void ToProto(const MachineStatus& status, v1::MachineStatus* to);
void ToProto(const NoiseSource& source, v1::NoiseSource* to);

void ToProto(const GateSummary& summary, v1::Summary* to);

/// Converts a summary.
/// @errors kInvalidArgument with the field's name for an unknown enum value, or a number that is
///         not finite
Result<GateSummary> FromProto(const v1::Summary& from);

/// Converts a request for summaries. `uid` stays absent, because the caller decides whose summaries
/// may be read. The limit is the page size plus one, which shows whether there is another page.
/// @errors kInvalidArgument for a page_token that this daemon did not issue
Result<SummaryQuery> FromProto(const v1::ListSummariesRequest& from);

/// The requested page of a list.
struct Page {
  std::uint64_t limit = 0;              ///< maximum number of entries: default 100, at most 500
  std::optional<std::uint64_t> beyond;  ///< the number in its token; absent: the first page
};
/// Determines the requested page.
/// @errors kInvalidArgument for a token that this daemon did not issue
Result<Page> ReadPage(std::uint64_t size, const std::string& token);

}  // namespace benchd::convert
