#pragma once

#include <optional>

#include "client/app/exit_code.h"
#include "client/git/bundle.h"
#include "client/request/caller.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// Returns whether the arms are commits: --git, or `git` in the defaults of a file.
///
/// @errors (exit 2) --build, --layouts or --same-is-pass without --git; --same-is-pass with a gate
///         that has a negative margin.
Result<bool> WantsCommits(const SpecInput& input);

/// Fills in the commits and folders of the two arms of `input`, and the build command of the
/// session. Unless `silent`, reports on stderr which commits are compared and whether uncommitted
/// changes are left out.
///
/// Reads the repository that contains the working directory. Writes only the snapshot of a
/// worktree. With --same-is-pass, both sides may be one commit; then only `same_commit` is set.
/// With `against_itself`, both arms are the base, which is built once.
///
/// @param there  where the commits are built, with --host; null: on this machine
/// @return the bundle to send; none if the other machine has the commits, or without --host
/// @errors (exit 2) an invalid range, repository or revision; errors of MakeBundle.
Result<std::optional<Bundle>> FillInCommits(SpecInput* input, CallerContext* caller, bool silent,
                                            const BuildPlace* there = nullptr);

/// Removes the variables that git sets for aliases and hooks. They would direct the build and the
/// measured commands from their worktrees to the caller's repository.
void RemovePlaceVariables(CallerContext* caller);

}  // namespace benchd::client
