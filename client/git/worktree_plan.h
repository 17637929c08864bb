#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/app/exit_code.h"
#include "client/git/git.h"
#include "client/request/caller.h"
#include "core/model/session_spec.h"

namespace benchd::client {

/// One worktree that a session needs. All keys have the same length. The same repository, commit
/// and build give the same key.
using WorktreeOrder = BuildTree;

/// The worktrees of a session. benchctl encodes the plan as the session's build command, which runs
/// benchctl again inside the session (RunBuildWorktrees).
struct WorktreePlan {
  std::string root;        ///< absolute path of the folder with the worktrees
  std::string repository;  ///< Repository::common_dir
  std::string build;       ///< for `sh -c`; empty: no build
  std::vector<WorktreeOrder> trees;
  /// Socket of the daemon that has the session's bundle; empty: `repository` has the commits.
  std::string socket = {};
  /// The worktrees of the session's second phase (--confirm), which are built only if it begins.
  std::vector<WorktreeOrder> second_trees = {};
  bool operator==(const WorktreePlan&) const = default;
};

/// Returns the commits of the trees, in order. A commit that is built several times is repeated.
std::vector<std::string> CommitsOf(const WorktreePlan& plan);

/// Returns the place where this process builds, without a socket.
///
/// @errors (exit 2) the errors of WorktreeRoot.
Result<BuildPlace> PlaceHere();

/// The paths of one worktree.
///
/// Commands use the path `built`, a link to `tree` that is created last. A half-built worktree is
/// therefore invisible to sessions and to submissions that look up a program.
struct WorktreePlaces {
  WorktreePlaces(const std::string& root, const WorktreeOrder& order);

  std::string folder;
  std::string tree;   ///< git's worktree
  std::string built;  ///< link to `tree`
};

/// Returns the folder for worktrees in the caller's cache: benchd/worktrees in $XDG_CACHE_HOME or
/// ~/.cache.
///
/// @errors (exit 2) the caller does not have a home directory.
Result<std::string> WorktreeRoot();

/// Returns the key of a worktree: 20 hexadecimal digits.
Result<std::string> WorktreeKey(const Git& git, const std::string& repository,
                                const std::string& commit, const std::string& build,
                                const std::string& layout_seed = {});

/// Returns `PROGRAM build-worktrees ...` on one line, quoted for a shell.
std::string BuildCommandLine(const std::string& program, const WorktreePlan& plan);

/// Reads the plan from the arguments of build-worktrees.
///
/// @errors (exit 2) a missing or malformed argument.
Result<WorktreePlan> ReadPlan(const std::string& root, const std::string& repository,
                              const std::string& build, const std::vector<std::string>& trees,
                              const std::vector<std::string>& second_trees = {});

}  // namespace benchd::client
