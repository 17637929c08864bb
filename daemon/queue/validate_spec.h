#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/ports/ports.h"

namespace benchd {

/// Checks a submitted spec and completes Arm::argv, which follows from it alone.
///
/// Pure. Checks that need the machine (programs, CPUs) or the statistics (methods) are elsewhere.
/// @errors kInvalidArgument with the option's name first; kUnimplemented for features that the
/// contract declares but benchd does not offer yet.
Result<SessionSpec> ValidateSpec(SessionSpec spec);

/// Approximate size in bytes of a waiting session: its spec in memory, its environment on the disk.
std::uint64_t HeldBytes(const SessionSpec& spec);

/// The ID that a client gives its request, so that it can be repeated.
/// @errors kInvalidArgument: the ID is too long.
Result<void> CheckRequestId(const std::string& request_id);

/// Fills the identities of all programs of `spec`, looked up as its caller, or returns which one
/// cannot be used. Both arguments must outlive the coroutine.
/// @errors kUnavailable, and others that are not the program's fault.
asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(Runner* runner, SessionSpec* spec);

}  // namespace benchd
