#pragma once

#include <chrono>
#include <string>

#include "client/app/exit_code.h"
#include "client/git/git.h"

namespace benchd::client {

/// The argument of --git: two states of a repository.
struct RevisionRange {
  std::string base;
  std::string candidate;         ///< HEAD if `worktree`
  bool from_merge_base = false;  ///< three dots: the base is the common ancestor of both
  bool worktree = false;         ///< the candidate is the working tree
  bool operator==(const RevisionRange&) const = default;
};

/// Parses `BASE..CANDIDATE`, `A...B` and `BASE..WORKTREE`. An omitted side is HEAD, as in git.
/// Pure.
///
/// @errors (exit 2) no dots, only dots, more than one range, WORKTREE as the base.
Result<RevisionRange> ParseRange(const std::string& text);

/// Returns whether `typed` can be a name in a session: one line of UTF-8 of at most 200 bytes.
bool IsPlainName(const std::string& typed);

/// A commit with its full ID and a description: the name that the user typed, or the output of `git
/// describe --tags --always` if that name does not last (HEAD, WORKTREE) or is an ID.
struct NamedCommit {
  std::string id;
  std::string description;
  bool operator==(const NamedCommit&) const = default;
};

/// The two commits of a range.
struct CommitPair {
  NamedCommit base;
  NamedCommit candidate;
  bool operator==(const CommitPair&) const = default;
};

/// The repository of a working directory. Each method runs git as the caller.
class Repository {
 public:
  /// Opens the repository that contains `cwd`.
  ///
  /// @errors (exit 2) git is not installed; not a repository, or one that git does not trust.
  static Result<Repository> Open(const std::string& cwd);

  /// Returns the absolute path of the objects and refs that all worktrees of a repository share.
  const std::string& common_dir() const { return common_dir_; }
  /// Returns the root of the worktree; empty in a bare repository or inside .git.
  const std::string& top_level() const { return top_level_; }
  const Git& git() const { return git_; }

  /// Resolves a revision to its commit.
  ///
  /// @errors (exit 2) an unknown revision; a name that is both a tag and a branch.
  Result<NamedCommit> Resolve(const std::string& revision) const;

  /// Resolves the commits of a range. Takes a snapshot of the worktree if the range names it.
  ///
  /// @param may_be_same  both sides may be the same commit
  /// @errors (exit 2) an unknown revision; no common ancestor; both sides are the same commit,
  ///         unless `may_be_same`; no worktree, or one with unmerged files.
  Result<CommitPair> Resolve(const RevisionRange& range, bool may_be_same = false) const;

  /// Returns whether tracked files differ from HEAD; false if unknown.
  bool HasChanges() const;

  /// Returns whether the clone lacks the older commits; false if unknown.
  bool IsShallow() const;

 private:
  Repository(Git git, std::string common_dir, std::string top_level)
      : git_(std::move(git)),
        common_dir_(std::move(common_dir)),
        top_level_(std::move(top_level)) {}

  Result<NamedCommit> ResolveCandidate(const RevisionRange& range) const;
  Result<void> CheckOneName(const std::string& revision) const;
  Error NoCommonAncestor(const RevisionRange& range) const;

  Git git_;
  std::string common_dir_;
  std::string top_level_;
};

/// Prefix of the refs that keep snapshots, refs/benchd/YYYY-MM-DD/ID, with the day of the snapshot.
inline constexpr char kSnapshotRefs[] = "refs/benchd/";

/// Returns the ref for a commit that is kept from today on.
std::string SnapshotRef(const std::string& commit);

/// Deletes snapshot refs that are older than `unused`, as far as possible.
void RemoveOldSnapshots(const Git& git, std::chrono::seconds unused);

/// Commits the files of a working tree on top of HEAD: tracked files, and untracked files that are
/// not ignored. Returns HEAD itself if nothing differs.
///
/// The user's index, branches, stash and files do not change, because git works on a copy of the
/// index. The same files on the same HEAD give the same commit, so an earlier build of it is
/// reused. A ref protects the commit from garbage collection. A submodule is recorded as the commit
/// that is checked out in it, without uncommitted changes.
///
/// @param git  runs anywhere inside the worktree
/// @errors (exit 2) unmerged files; files that git cannot read or write.
Result<NamedCommit> SnapshotWorktree(const Git& git, const std::string& top_level);

}  // namespace benchd::client
