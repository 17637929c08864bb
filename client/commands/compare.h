#pragma once

#include "client/app/command.h"

namespace benchd::client {

/// Submits the session that `compare` or `submit` describes and, unless `detach`, watches it until
/// it ends.
Result<ExitCode> SubmitAnd(const CommandContext& context, bool detach);

}  // namespace benchd::client
