#pragma once

#include <chrono>

#include "core/base/result.h"

namespace benchd::rpc {

/// Checks that the gRPC in use treats a connection's descriptor as PeerTable requires. The peer of
/// a call must be "fd:" and the descriptor's number. The descriptor must stay open as long as the
/// connection has a call, even if the client has disconnected, and must be closed soon after the
/// last call.
///
/// gRPC guarantees none of this. Without the check, a version that behaves differently could
/// attribute a call to another user, so benchd refuses to start with it. The check uses a server, a
/// client and a call of its own, on any thread, and blocks for a few milliseconds longer than
/// `watched`.
///
/// @param watched  how long to observe the descriptor after the client has disconnected
/// @errors kFailedPrecondition if gRPC behaves differently; kInternal if the check itself failed
Result<void> CheckGrpc(std::chrono::milliseconds watched = std::chrono::milliseconds(5));

}  // namespace benchd::rpc
