#include "client/git/repository.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "client/git/git.h"
#include "client/present/text.h"
#include "client/request/quantity.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr char kWorktree[] = "WORKTREE";
constexpr char kUnshallow[] = "this is a shallow clone: run git fetch --unshallow";

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

// git sets these variables for hooks and aliases, relative to its own working directory.
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
  // For example, the repository belongs to another user. git's message includes the fix.
  return UsageError("git: " + said);
}

// Returns whether `typed` is a lasting name for the commit: not HEAD, and not a prefix of its ID.
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
  TRY(auto common, git.Run({"rev-parse", "--git-common-dir"}));
  if (common.code != 0) return NoRepository(cwd, common);
  if (common.out.ends_with('\n')) common.out.pop_back();
  TRY(auto inside, git.Ask({"rev-parse", "--is-inside-work-tree"}));
  std::string top_level;
  if (inside == "true") {
    TRY(auto top, git.Ask({"rev-parse", "--show-toplevel"}));
    top_level = std::move(top);
  }
  return Repository(git, FolderAt(common.out, cwd), std::move(top_level));
}

Result<NamedCommit> Repository::Resolve(const std::string& revision) const {
  // git would take a revision that begins with a dash for an option.
  TRY(ProcessEnd found, revision.starts_with('-') ? Result<ProcessEnd>(ProcessEnd{1, "", ""})
                                                  : git_.Run({"rev-parse", "--verify", "--quiet",
                                                              revision + "^{commit}"}));
  if (found.code != 0) {
    return UsageError(
        revision + ": unknown revision",
        IsShallow() ? kUnshallow : "see git log --oneline for commits, git branch -a for branches");
  }
  TRY_VOID(CheckOneName(revision));
  if (found.out.ends_with('\n')) found.out.pop_back();
  if (NamesCommit(revision, found.out)) return NamedCommit{std::move(found.out), revision};
  TRY(auto description, git_.Ask({"describe", "--tags", "--always", found.out}));
  return NamedCommit{std::move(found.out), std::move(description)};
}

// Rejects a name of both a tag and a branch: git would choose the tag and print a warning that is
// easy to miss.
Result<void> Repository::CheckOneName(const std::string& revision) const {
  std::string name = revision.substr(0, revision.find_first_of("^~:"));
  name.erase(std::min(name.find("@{"), name.size()));
  if (name.empty()) return {};
  const std::array<std::string, 2> refs = {"refs/tags/" + name, "refs/heads/" + name};
  for (const std::string& ref : refs) {
    TRY(auto there, git_.Run({"show-ref", "--verify", "--quiet", ref}));
    if (there.code != 0) return {};
  }
  return UsageError(revision + ": ambiguous: a tag and a branch have that name",
                    "write " + refs[0] + " or " + refs[1]);
}

bool Repository::IsShallow() const {
  auto shallow = git_.Ask({"rev-parse", "--is-shallow-repository"});
  return shallow && *shallow == "true";
}

// Returns the error for commits without a common ancestor, which a shallow clone may lack.
Error Repository::NoCommonAncestor(const RevisionRange& range) const {
  return UsageError(range.base + " and " + range.candidate + " have no common ancestor" +
                        (IsShallow() ? " here" : ""),
                    IsShallow() ? kUnshallow : "compare them directly: BASE..CANDIDATE");
}

Result<NamedCommit> Repository::ResolveCandidate(const RevisionRange& range) const {
  if (!range.worktree) return Resolve(range.candidate);
  if (top_level_.empty()) {
    return UsageError("WORKTREE: a bare repository has no worktree", "name a commit instead");
  }
  return SnapshotWorktree(git_, top_level_);
}

Result<CommitPair> Repository::Resolve(const RevisionRange& range, bool may_be_same) const {
  TRY(auto base, Resolve(range.base));
  if (range.from_merge_base) {
    TRY(auto other, Resolve(range.candidate));
    TRY(auto ancestor, git_.Run({"merge-base", base.id, other.id}));
    if (ancestor.code != 0) return NoCommonAncestor(range);
    TRY(base, Resolve(ancestor.out.substr(0, ancestor.out.find('\n'))));
  }
  TRY(auto candidate, ResolveCandidate(range));
  if (base.id == candidate.id && !may_be_same) {
    const bool dirty = !range.worktree && HasChanges();
    return UsageError("both sides are the same commit, " + base.id.substr(0, 7),
                      dirty ? "to compare uncommitted changes, write " + range.base + "..WORKTREE"
                            : "name two different commits, or add --same-is-pass to accept this");
  }
  return CommitPair{std::move(base), std::move(candidate)};
}

bool Repository::HasChanges() const {
  if (top_level_.empty()) return false;
  auto status = git_.Run({"status", "--porcelain", "--untracked-files=no"});
  return status && status->code == 0 && !status->out.empty();
}

namespace {

namespace fs = std::filesystem;

// Preserves the modification time, because git trusts the index only for files that are older.
Result<void> CopyIndex(const std::string& from, const std::string& to) {
  struct stat info {};
  if (stat(from.c_str(), &info) != 0) return {};  // no file was ever added
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) return UsageError("cannot copy the index: " + error.message());
  const timespec times[] = {info.st_atim, info.st_mtim};
  utimensat(AT_FDCWD, to.c_str(), times, 0);
  return {};
}

std::string DayOf(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

// Writes a tree of all files that are not ignored.
Result<std::string> WriteTree(const Git& git, const std::string& top_level) {
  auto unmerged = git.Ask({"ls-files", "--unmerged"});
  if (!unmerged) return unmerged;
  if (!unmerged->empty()) {
    const std::size_t tab = unmerged->find('\t') + 1;
    return UsageError(unmerged->substr(tab, unmerged->find('\n') - tab) + ": unmerged",
                      "finish the merge, or name a commit instead of WORKTREE");
  }
  auto index = git.Ask({"rev-parse", "--git-path", "index"});
  if (!index) return index;
  const ScratchFolder scratch;
  if (scratch.path().empty()) return UsageError("no directory for temporary files: set TMPDIR");
  const std::string copy = scratch.path() + "/index";
  TRY_VOID(CopyIndex((fs::path(top_level) / *index).string(), copy));
  TRY(auto unfiltered, git.With("GIT_INDEX_FILE", copy).WithoutFilters());
  auto added = unfiltered.Ask({"-c", "core.splitIndex=false", "add", "--all"});
  if (!added) return added;
  return unfiltered.Ask({"write-tree"});
}

}  // namespace

std::string SnapshotRef(const std::string& commit) {
  return kSnapshotRefs + DayOf(std::time(nullptr)) + "/" + commit;
}

void RemoveOldSnapshots(const Git& git, std::chrono::seconds unused) {
  auto listed = git.Ask({"for-each-ref", "--format=%(refname)", kSnapshotRefs});
  if (!listed) return;
  const std::string day = DayOf(std::time(nullptr) - unused.count());
  for (const std::string& name : Lines(*listed)) {
    // YYYY-MM-DD sorts as text.
    const std::string taken = name.substr(std::string_view(kSnapshotRefs).size(), 10);
    if (taken >= day) continue;
    auto deleted = git.Run({"update-ref", "-d", name});
    if (!deleted) return;
  }
}

Result<NamedCommit> SnapshotWorktree(const Git& anywhere, const std::string& top_level) {
  const Git git = anywhere.At(top_level);
  auto tree = WriteTree(git, top_level);
  if (!tree) return std::move(tree).error().Within("WORKTREE");
  auto head = git.Ask({"rev-parse", "HEAD^{commit}"});
  if (!head) {
    return UsageError("WORKTREE: the repository has no commits",
                      "create a commit first, to serve as the base");
  }
  TRY(auto description, git.Ask({"describe", "--tags", "--always", *head}));
  TRY(auto committed,
      git.Ask({"show", "--no-patch", "--no-show-signature", "--format=%T %ct", *head}));
  const std::size_t space = committed.find(' ');
  if (committed.substr(0, space) == *tree) return NamedCommit{*head, description};
  // Without the time and the user, equal content gives the same commit ID.
  const std::string date = "@" + committed.substr(space + 1) + " +0000";
  Git commit = git;
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    const std::string name = std::string("GIT_") + who;
    commit = commit.With(name + "_NAME", "benchd")
                 .With(name + "_EMAIL", "benchd@localhost")
                 .With(name + "_DATE", date);
  }
  auto id = commit.Ask({"commit-tree", "--no-gpg-sign", "-p", *head, "-m",
                        "Files of a worktree, for benchd", *tree});
  if (!id) return std::move(id).error().Within("WORKTREE");
  auto kept = git.Ask({"update-ref", SnapshotRef(*id), *id});
  if (!kept) return std::move(kept).error().Within("WORKTREE");
  return NamedCommit{*std::move(id), description + "-dirty"};
}

}  // namespace benchd::client
