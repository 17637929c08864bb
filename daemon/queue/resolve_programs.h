#pragma once

#include <asio/awaitable.hpp>
#include <optional>

#include "core/base/result.h"
#include "core/model/session_spec.h"
#include "daemon/session/failure.h"
#include "daemon/session/ports.h"

namespace benchd {

/// Looks all programs of `spec` up as its caller and fills in their identities, or returns the
/// first program that cannot be used. Both arguments must outlive the coroutine.
/// @errors kInvalidArgument for a shell that cannot be found, also if the build or setup of the
///         session may create programs; kUnavailable, and other errors that the program did not
///         cause.
asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(Runner* runner, SessionSpec* spec);

}  // namespace benchd
