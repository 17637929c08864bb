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

/// Conversions of the queue's values to and from messages. Values of core are converted in
/// proto/convert.
namespace benchd::rpc {

/// Converts the filter of a list request.
/// @errors kInvalidArgument for an unknown state
Result<SessionFilter> FromProto(const v1::ListSessionsRequest& proto);

/// Converts the requested duration of a reservation.
/// @errors kInvalidArgument if it is not a duration, or longer than one hour
Result<Nanoseconds> FromProto(const v1::ReserveRequest& proto);

/// Converts the fields of a session that every user may see: id, uid and state.
void ToProto(const SessionView& view, v1::Session* to);
void ToProto(const QueueStatus& status, v1::QueueStatus* to);
void ToProto(const MachineView& machine, v1::MachineStatus* to);
void ToProto(const LimitUse& use, v1::LimitUse* to);

/// The largest part of a session's log that is sent. Clients accept messages of 4 MiB by default.
inline constexpr std::size_t kMaxLogBytes = std::size_t{3} * 1024 * 1024;
/// Returns the end of a session's log, at most kMaxLogBytes. If the beginning is cut, the first
/// line states how many bytes are missing.
std::string LogToProto(const LogTail& log);

}  // namespace benchd::rpc
