#pragma once

#include "client/exit_code.h"
#include "client/spec_input.h"

namespace benchd::client {

/// Whether the arms are commits: --git, or git in a file's defaults.
///
/// @errors (exit 2) --build without it; arms, commands or references beside it.
Result<bool> WantsCommits(const SpecInput& input);

/// Gives the two arms of `input` their commits, folders and the session its build command; tells on
/// stderr, unless `silent`, which commits they are and what is in neither.
///
/// Reads the repository around the caller's working directory. Writes nothing but the snapshot of
/// a worktree.
///
/// @errors (exit 2) the range's, the repository's, the revisions'.
Result<void> FillInCommits(SpecInput* input, CallerContext* caller, bool silent);

}  // namespace benchd::client
