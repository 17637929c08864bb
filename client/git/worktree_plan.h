#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/app/exit_code.h"
#include "client/git/git.h"
#include "client/request/caller.h"
#include "core/model/session_spec.h"

namespace benchd::client {

/// One worktree to be there. Keys are equally long for all, and the same for the same repository,
/// commit and build.
using WorktreeOrder = BuildTree;

/// The worktrees of a session. benchctl writes it as the session's build command, which is benchctl
/// again, in the session (RunBuildWorktrees).
struct WorktreePlan {
  std::string root;        ///< where the worktrees are kept, absolute
  std::string repository;  ///< Repository::common_dir
  std::string build;       ///< for `sh -c`; empty: nothing is to be built
  std::vector<WorktreeOrder> trees;
  /// Of the daemon that has the commits as this session's bundle; empty: they are in `repository`.
  std::string socket = {};
  bool operator==(const WorktreePlan&) const = default;
};

/// Of its trees, in order; a commit is there as often as it is built.
std::vector<std::string> CommitsOf(const WorktreePlan& plan);

/// That of this process, without a socket.
///
/// @errors (exit 2) WorktreeRoot's.
Result<BuildPlace> PlaceHere();

inline bool IsCommitId(std::string_view text) {
  const bool is_long_enough = text.size() == 40 || text.size() == 64;
  return is_long_enough && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Where one worktree and what is known of it lie.
///
/// The commands run through `built`, a link to `tree` that is made last: a worktree that is half
/// built cannot be seen there, neither by a session nor by a submission that looks a program up.
struct WorktreePlaces {
  WorktreePlaces(const std::string& root, const WorktreeOrder& order);

  std::string folder;
  std::string tree;   ///< git's worktree
  std::string built;  ///< the way in
};

/// The folder for worktrees in the caller's cache: $XDG_CACHE_HOME or ~/.cache, /benchd/worktrees.
///
/// @errors (exit 2) no home directory.
Result<std::string> WorktreeRoot();

/// The key of a worktree: 20 hexadecimal digits.
Result<std::string> WorktreeKey(const Git& git, const std::string& repository,
                                const std::string& commit, const std::string& build,
                                const std::string& layout_seed = {});

/// The words of `PROGRAM build-worktrees ...` on one line, quoted for a shell.
std::string BuildCommandLine(const std::string& program, const WorktreePlan& plan);

/// The plan in the arguments of build-worktrees.
///
/// @errors (exit 2) one that is missing or malformed.
Result<WorktreePlan> ReadPlan(const std::string& root, const std::string& repository,
                              const std::string& build, const std::vector<std::string>& trees);

}  // namespace benchd::client
