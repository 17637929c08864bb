#pragma once

#include "client/outcome.h"
#include "core/base/result.h"

namespace benchd::client {

/// An error of what this process computed itself: reads as a daemon's answer would
/// (status_error.h).
ClientError FromError(const Error& error);

}  // namespace benchd::client
