#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Checks a submitted spec and completes Arm::argv and `early_looks`, which follow from it alone.
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

}  // namespace benchd
