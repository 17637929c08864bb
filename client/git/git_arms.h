#pragma once

#include <optional>

#include "client/app/exit_code.h"
#include "client/git/bundle.h"
#include "client/request/caller.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// Whether the arms are commits: --git, or git in a file's defaults.
///
/// @errors (exit 2) --build without it; arms, commands or references beside it.
Result<bool> WantsCommits(const SpecInput& input);

/// Gives the two arms of `input` their commits, folders and the session its build command; tells on
/// stderr, unless `silent`, which commits they are and what is in neither.
///
/// Reads the repository around the working directory. Writes nothing but the snapshot of a
/// worktree.
///
/// @param there  with --host: where the commits are built; null: here
/// With --same-is-pass both sides may be one commit: then that is all that is filled in.
///
/// @return what has to be sent there for that; none where they are there already, or built here
/// @errors (exit 2) the range's, the repository's, the revisions'; MakeBundle's.
Result<std::optional<Bundle>> FillInCommits(SpecInput* input, CallerContext* caller, bool silent,
                                            const BuildPlace* there = nullptr);

}  // namespace benchd::client
