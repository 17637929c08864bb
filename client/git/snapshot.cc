#include <fcntl.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <sstream>

#include "client/git/repository.h"
#include "client/git/scratch_folder.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

// With its time: git takes a file for unchanged only if it is older than the index.
Result<void> CopyIndex(const std::string& from, const std::string& to) {
  struct stat info {};
  if (stat(from.c_str(), &info) != 0) return {};  // nothing was ever added
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) return UsageError("the index: " + error.message());
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

// The tree of everything that is not ignored.
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
  auto copied = CopyIndex((fs::path(top_level) / *index).string(), copy);
  if (!copied) return std::move(copied).error();
  auto unfiltered = git.With("GIT_INDEX_FILE", copy).WithoutFilters();
  if (!unfiltered) return std::move(unfiltered).error();
  auto added = unfiltered->Ask({"-c", "core.splitIndex=false", "add", "--all"});
  if (!added) return added;
  return unfiltered->Ask({"write-tree"});
}

}  // namespace

std::string SnapshotRef(const std::string& commit) {
  return kSnapshotRefs + DayOf(std::time(nullptr)) + "/" + commit;
}

void RemoveOldSnapshots(const Git& git, std::chrono::seconds unused) {
  auto listed = git.Ask({"for-each-ref", "--format=%(refname)", kSnapshotRefs});
  if (!listed) return;
  const std::string day = DayOf(std::time(nullptr) - unused.count());
  std::istringstream names(*listed);
  for (std::string name; std::getline(names, name);) {
    // Days in this form sort as text.
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
                      "commit once, so that there is a base");
  }
  auto description = git.Ask({"describe", "--tags", "--always", *head});
  if (!description) return std::move(description).error();
  auto committed = git.Ask({"show", "--no-patch", "--no-show-signature", "--format=%T %ct", *head});
  if (!committed) return std::move(committed).error();
  const std::size_t space = committed->find(' ');
  if (committed->substr(0, space) == *tree) return NamedCommit{*head, *description};
  // Nothing but the content tells two snapshots apart: no clock, no user.
  const std::string date = "@" + committed->substr(space + 1) + " +0000";
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
  return NamedCommit{*std::move(id), *description + "-dirty"};
}

}  // namespace benchd::client
