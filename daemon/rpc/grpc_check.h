#pragma once

#include <chrono>

#include "core/base/result.h"

namespace benchd::rpc {

/// Whether the gRPC that benchd runs with treats the descriptor of a connection as PeerTable needs
/// it: a call's peer is "fd:" and its number, the descriptor stays open as long as a call of its
/// connection is there, also when the client has gone, and is closed soon after the last one.
///
/// gRPC promises none of this. Exists so that a version that does otherwise is refused when benchd
/// starts: with it, a call could be taken for somebody else's. Tries it with a server, a client and
/// a call of its own, on whatever thread; blocks for some milliseconds longer than `watched`.
///
/// @param watched  how long the descriptor is looked at after the client has gone.
/// @errors kFailedPrecondition: what it does otherwise; kInternal: the trial itself did not work.
Result<void> CheckGrpc(std::chrono::milliseconds watched = std::chrono::milliseconds(5));

}  // namespace benchd::rpc
