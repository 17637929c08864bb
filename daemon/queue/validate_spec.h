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

/// Checks a submitted spec and completes what follows from it alone: Arm::argv.
///
/// Pure. What needs the machine (programs, CPUs) or the statistics (methods) is checked elsewhere.
/// @errors kInvalidArgument with the option's name first; kUnimplemented for what is declared in
///         the contract and not offered yet.
Result<SessionSpec> ValidateSpec(SessionSpec spec);

/// About how many bytes a session that waits takes: its spec in memory, its environment on the
/// disk.
std::uint64_t HeldBytes(const SessionSpec& spec);

/// The name that a client gives its request, so that it can be sent again.
/// @errors kInvalidArgument: it is too long.
Result<void> CheckRequestId(const std::string& request_id);

/// Fills the identities of all programs of `spec`, looked up as its caller, or says which cannot be
/// used. Both live in the awaiting coroutine's frame, or longer.
/// @errors kUnavailable, and whatever else is not the program's fault.
asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(Runner* runner, SessionSpec* spec);

}  // namespace benchd
