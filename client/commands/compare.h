#pragma once

#include "client/app/command.h"

namespace benchd::client {

/// Submits what the words of `compare` or `submit` ask for and, unless `detach`, watches it to its
/// end.
Result<ExitCode> SubmitAnd(const CommandContext& context, bool detach);

}  // namespace benchd::client
