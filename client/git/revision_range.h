#pragma once

#include <string>

#include "client/outcome.h"

namespace benchd::client {

/// What --git names: two states of a repository.
struct RevisionRange {
  std::string base;
  std::string candidate;         ///< with `worktree`: what the worktree is compared from, HEAD
  bool from_merge_base = false;  ///< three dots: the base is the common ancestor of both
  bool worktree = false;         ///< the candidate is the files as they lie there now
  bool operator==(const RevisionRange&) const = default;
};

/// `BASE..CANDIDATE`, `A...B` and `BASE..WORKTREE`; a side that is left out is HEAD, as for git.
/// Pure.
///
/// @errors (exit 2) no dots, nothing but dots, more than one range, WORKTREE as the base.
Outcome<RevisionRange> ParseRange(const std::string& text);

}  // namespace benchd::client
