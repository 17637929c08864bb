#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/session/ports.h"

namespace benchd {

/// Checks a submitted spec and completes Arm::argv, which follows from it alone.
///
/// Pure. Checks that need the machine (programs, CPUs) or the statistics (methods) are elsewhere.
/// @errors kInvalidArgument with the option's name first; kUnimplemented for features that the
/// contract declares but benchd does not offer yet.
Result<SessionSpec> ValidateSpec(SessionSpec spec);

/// Returns the approximate size of a waiting session in bytes: its spec in memory and its
/// environment on disk.
std::uint64_t HeldBytes(const SessionSpec& spec);

/// Checks the ID that a client gives its request, so that it can repeat the request safely.
/// @errors kInvalidArgument: the ID is too long.
Result<void> CheckRequestId(const std::string& request_id);

/// Looks all programs of `spec` up as its caller and fills in their identities, or returns the
/// first program that cannot be used. Both arguments must outlive the coroutine.
/// @errors kInvalidArgument for a shell that cannot be found, also if the build or setup of the
///         session may create programs; kUnavailable, and other errors that the program did not
///         cause.
asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(Runner* runner, SessionSpec* spec);

}  // namespace benchd
