#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/limits.h"
#include "daemon/queue/machine_controller.h"
#include "daemon/queue/queue.h"
#include "daemon/store/records.h"

namespace benchd::v1 {
class ListSessionsRequest;
class LimitUse;
class MachineStatus;
class QueueStatus;
class ReserveRequest;
class Session;
}  // namespace benchd::v1

/// The queue's own values as clients send and read them; the core's are proto/convert's.
namespace benchd::rpc {

/// @errors kInvalidArgument for a state nobody knows.
Result<SessionFilter> FromProto(const v1::ListSessionsRequest& proto);

/// How long the machine is wanted.
/// @errors kInvalidArgument for no duration, or one of more than an hour.
Result<Nanoseconds> FromProto(const v1::ReserveRequest& proto);

/// What everybody may know of a session: id, uid and state.
void ToProto(const SessionView& view, v1::Session* to);
void ToProto(const QueueStatus& status, v1::QueueStatus* to);
void ToProto(const MachineView& machine, v1::MachineStatus* to);
void ToProto(const LimitUse& use, v1::LimitUse* to);

/// What is told of a session's log at most: clients take messages of 4 MiB by default.
inline constexpr std::size_t kMaxLogBytes = std::size_t{3} * 1024 * 1024;
/// What a session's programs wrote, kMaxLogBytes of it at most, and how much came before.
std::string LogToProto(const LogTail& log);

}  // namespace benchd::rpc
