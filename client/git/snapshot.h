#pragma once

#include <string>

#include "client/exit_code.h"
#include "client/git/git.h"
#include "client/git/repository.h"

namespace benchd::client {

/// Refs that keep snapshots: refs/benchd/YYYY-MM-DD/ID, by the day on which they were taken.
inline constexpr char kSnapshotRefs[] = "refs/benchd/";

/// The files of a worktree as they lie there now, as a commit on top of HEAD: what is tracked, and
/// what is untracked but not ignored. HEAD itself where nothing differs from it.
///
/// Index, branches, stash and files stay as they are: the index is a copy of the user's. The same
/// files on the same HEAD are the same commit, so that what was built of it is found again. A ref
/// keeps it from being collected. Of a submodule there is the commit that is checked out, not what
/// was changed in it.
///
/// @param git  of any place inside the worktree
/// @errors (exit 2) unmerged files; what git cannot read or write.
Result<NamedCommit> SnapshotWorktree(const Git& git, const std::string& top_level);

}  // namespace benchd::client
