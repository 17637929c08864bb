#pragma once

#include <vector>

#include "core/model/session.h"

namespace benchd::v1 {
class Failed;
class MachineStatus;
class NoiseSource;
class Queued;
class Run;
class Session;
class SessionSpec;
class Started;
class Update;
}  // namespace benchd::v1

namespace google::protobuf {
class Timestamp;
}

/// The core's values as clients read them. Absent stays absent, durations become seconds, text that
/// is not UTF-8 is made so, and no value of an environment variable ever leaves the daemon.
namespace benchd::convert {

void ToProto(Timestamp time, google::protobuf::Timestamp* to);
/// With the names of the arms' own variables only.
void ToProto(const SessionSpec& spec, v1::SessionSpec* to);
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

}  // namespace benchd::convert
