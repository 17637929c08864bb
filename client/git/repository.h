#pragma once

#include <chrono>
#include <string>

#include "client/app/exit_code.h"
#include "client/git/git.h"

namespace benchd::client {

/// What --git names: two states of a repository.
struct RevisionRange {
  std::string base;
  std::string candidate;         ///< with `worktree`: what the worktree is compared from, HEAD
  bool from_merge_base = false;  ///< three dots: the base is the common ancestor of both
  bool worktree = false;         ///< the candidate is the working tree
  bool operator==(const RevisionRange&) const = default;
};

/// `BASE..CANDIDATE`, `A...B` and `BASE..WORKTREE`; a side that is left out is HEAD, as for git.
/// Pure.
///
/// @errors (exit 2) no dots, nothing but dots, more than one range, WORKTREE as the base.
Result<RevisionRange> ParseRange(const std::string& text);

/// Whether a session may call something as the user typed it: UTF-8 on one line, not too long.
bool IsPlainName(const std::string& typed);

/// One commit by its full id, and by what the user calls it; where that would say nothing later
/// (HEAD, WORKTREE) or is an id, by `git describe --tags --always`.
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

/// The repository that the caller stands in. Everything is asked as the caller, now.
class Repository {
 public:
  /// @errors (exit 2) git is not installed; no repository, or one that git does not trust.
  static Result<Repository> Open(const std::string& cwd);

  /// Where objects and refs are, absolute: the same for all worktrees of a repository.
  const std::string& common_dir() const { return common_dir_; }
  /// The root of the worktree; empty: a bare repository, or inside of .git.
  const std::string& top_level() const { return top_level_; }
  const Git& git() const { return git_; }

  /// @errors (exit 2) an unknown revision, by its name; a name that a tag and a branch have.
  Result<NamedCommit> Resolve(const std::string& revision) const;

  /// The commits of a range; takes a snapshot of the worktree where the range asks for one.
  ///
  /// @param may_be_same  both sides may be one commit
  /// @errors (exit 2) an unknown revision; no common ancestor; both are the same commit, unless
  ///         they may; a worktree that there is none of, or with unmerged files.
  Result<CommitPair> Resolve(const RevisionRange& range, bool may_be_same = false) const;

  /// Whether tracked files differ from HEAD; false where that cannot be told.
  bool HasChanges() const;

 private:
  Repository(Git git, std::string common_dir, std::string top_level)
      : git_(std::move(git)),
        common_dir_(std::move(common_dir)),
        top_level_(std::move(top_level)) {}

  Result<NamedCommit> ResolveCandidate(const RevisionRange& range) const;
  Result<void> CheckOneName(const std::string& revision) const;
  bool IsShallow() const;
  Error NoCommonAncestor(const RevisionRange& range) const;

  Git git_;
  std::string common_dir_;
  std::string top_level_;
};

/// Refs that keep snapshots: refs/benchd/YYYY-MM-DD/ID, by the day on which they were taken.
inline constexpr char kSnapshotRefs[] = "refs/benchd/";

/// The ref that keeps a commit from today on.
std::string SnapshotRef(const std::string& commit);

/// Deletes the refs of days longer ago than `unused`. What cannot be deleted stays.
void RemoveOldSnapshots(const Git& git, std::chrono::seconds unused);

/// The files of a working tree as a commit on top of HEAD: what is tracked, and
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
