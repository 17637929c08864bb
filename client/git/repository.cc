#include "client/git/repository.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "client/quantity.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr char kWorktree[] = "WORKTREE";

}  // namespace

Result<RevisionRange> ParseRange(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (text.empty()) return UsageError("empty range", "write BASE..CANDIDATE");
  if (dots == std::string::npos) {
    return UsageError("expected two commits", "write " + text + "..HEAD, or " + text +
                                                  "..WORKTREE for uncommitted changes");
  }
  RevisionRange range;
  range.from_merge_base = text.compare(dots, 3, "...") == 0;
  range.base = text.substr(0, dots);
  range.candidate = text.substr(dots + (range.from_merge_base ? 3 : 2));
  if (range.base.empty() && range.candidate.empty()) {
    return UsageError("the range is empty", "write BASE..CANDIDATE");
  }
  if (range.candidate.find("..") != std::string::npos || range.candidate.starts_with('.')) {
    return UsageError("more than one range", "write BASE..CANDIDATE");
  }
  if (range.base == kWorktree) {
    return UsageError("WORKTREE can only be the candidate", "write BASE..WORKTREE");
  }
  range.worktree = range.candidate == kWorktree;
  if (range.base.empty()) range.base = "HEAD";
  if (range.candidate.empty() || range.worktree) range.candidate = "HEAD";
  return range;
}

namespace {

std::string FolderAt(const std::string& path, const std::string& base) {
  std::string absolute = (std::filesystem::path(base) / path).lexically_normal().string();
  while (absolute.size() > 1 && absolute.ends_with('/')) absolute.pop_back();
  return absolute;
}

// git sets these for hooks and aliases, and counts them from where it stands.
Git WithAbsolutePlaces(Git git, const std::string& cwd) {
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"}) {
    const char* place = std::getenv(name);
    if (place != nullptr && place[0] != '\0') git = git.With(name, FolderAt(place, cwd));
  }
  return git;
}

Error NoRepository(const std::string& cwd, const ProcessEnd& end) {
  const std::string said = WhatGitSaid(end);
  if (said.find("not a git repository") != std::string::npos) {
    return UsageError(cwd + ": not a git repository", "change to a directory of the repository");
  }
  // As of one that belongs to somebody else: git says what to do about it itself.
  return UsageError("git: " + said);
}

// What the user calls the commit, unless that says nothing later (HEAD) or is its id anyway.
bool NamesCommit(const std::string& typed, const std::string& id) {
  return IsPlainName(typed) && typed != "HEAD" && !id.starts_with(typed);
}

}  // namespace

bool IsPlainName(const std::string& typed) {
  constexpr std::size_t kLongestName = 200;  // the daemon's limit
  return !typed.empty() && typed.size() <= kLongestName && IsSendableText(typed) &&
         !HasControlCharacter(typed);
}

Result<Repository> Repository::Open(const std::string& cwd) {
  const Git git = WithAbsolutePlaces(Git(cwd), cwd);
  auto common = git.Run({"rev-parse", "--git-common-dir"});
  if (!common) return std::move(common).error();
  if (common->code != 0) return NoRepository(cwd, *common);
  if (common->out.ends_with('\n')) common->out.pop_back();
  auto inside = git.Ask({"rev-parse", "--is-inside-work-tree"});
  if (!inside) return std::move(inside).error();
  std::string top_level;
  if (*inside == "true") {
    auto top = git.Ask({"rev-parse", "--show-toplevel"});
    if (!top) return std::move(top).error();
    top_level = *std::move(top);
  }
  return Repository(git, FolderAt(common->out, cwd), std::move(top_level));
}

Result<NamedCommit> Repository::Resolve(const std::string& revision) const {
  // A revision that begins with a dash would be an option to git.
  Result<ProcessEnd> found =
      revision.starts_with('-')
          ? Result<ProcessEnd>(ProcessEnd{1, "", ""})
          : git_.Run({"rev-parse", "--verify", "--quiet", revision + "^{commit}"});
  if (!found) return std::move(found).error();
  if (found->code != 0) {
    auto shallow = git_.Ask({"rev-parse", "--is-shallow-repository"});
    return UsageError(revision + ": unknown revision",
                      shallow && *shallow == "true"
                          ? "this is a shallow clone: git fetch --unshallow"
                          : "git log --oneline shows commits, git branch -a branches");
  }
  if (found->out.ends_with('\n')) found->out.pop_back();
  if (NamesCommit(revision, found->out)) return NamedCommit{std::move(found->out), revision};
  auto description = git_.Ask({"describe", "--tags", "--always", found->out});
  if (!description) return std::move(description).error();
  return NamedCommit{std::move(found->out), *std::move(description)};
}

Result<NamedCommit> Repository::ResolveCandidate(const RevisionRange& range) const {
  if (!range.worktree) return Resolve(range.candidate);
  if (top_level_.empty()) {
    return UsageError("WORKTREE: a bare repository has no worktree", "name a commit instead");
  }
  return SnapshotWorktree(git_, top_level_);
}

Result<CommitPair> Repository::Resolve(const RevisionRange& range) const {
  auto base = Resolve(range.base);
  if (!base) return std::move(base).error();
  if (range.from_merge_base) {
    auto other = Resolve(range.candidate);
    if (!other) return std::move(other).error();
    auto ancestor = git_.Run({"merge-base", base->id, other->id});
    if (!ancestor) return std::move(ancestor).error();
    if (ancestor->code != 0) {
      return UsageError(range.base + " and " + range.candidate + " have no common ancestor",
                        "compare them as they are: BASE..CANDIDATE");
    }
    base = Resolve(ancestor->out.substr(0, ancestor->out.find('\n')));
    if (!base) return std::move(base).error();
  }
  auto candidate = ResolveCandidate(range);
  if (!candidate) return std::move(candidate).error();
  if (base->id == candidate->id) {
    const bool dirty = !range.worktree && HasChanges();
    return UsageError("both sides are the same commit, " + base->id.substr(0, 7),
                      dirty ? "to compare uncommitted changes, write " + range.base + "..WORKTREE"
                            : "name two that differ");
  }
  return CommitPair{*std::move(base), *std::move(candidate)};
}

bool Repository::HasChanges() const {
  if (top_level_.empty()) return false;
  auto status = git_.Run({"status", "--porcelain", "--untracked-files=no"});
  return status && status->code == 0 && !status->out.empty();
}

}  // namespace benchd::client
