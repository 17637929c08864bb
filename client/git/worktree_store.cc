#include "client/git/worktree_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "client/git/git.h"
#include "client/git/process.h"
#include "client/git/worktree_folder.h"
#include "client/render/text.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

std::string ShortId(const std::string& commit) { return commit.substr(0, 12); }

void Say(const std::string& text) { std::cout << text << std::endl; }

std::size_t LineCount(const std::string& text) {
  std::size_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines;
}

std::string FilesAsStored(std::size_t count) {
  return Counted(count, "file is as git stores it", "files are as git stores them");
}

// What a checkout leaves out, so that a build which misses it is understood.
void TellWhatIsMissing(const Git& git) {
  for (const std::string& driver : git.filters()) {
    auto filtered = git.Ask({"ls-files", ":(attr:filter=" + driver + ")"});
    if (!filtered || filtered->empty()) continue;
    Say("warning: the filter " + Printable(driver) +
        " is off: " + FilesAsStored(LineCount(*filtered + "\n")) +
        "; have the build fetch the rest, as by --build 'git lfs pull && make'");
  }
  auto entries = git.Ask({"ls-files", "--stage"});
  if (!entries) return;
  std::size_t submodules = 0;
  std::istringstream lines(*entries);
  for (std::string line; std::getline(lines, line);) {
    submodules += line.starts_with("160000 ") ? 1 : 0;  // a gitlink's mode
  }
  if (submodules == 0) return;
  Say("warning: " + Counted(submodules, "submodule is empty", "submodules are empty") +
      "; have the build fetch them, as by --build 'git submodule update --init --recursive && "
      "make'");
}

}  // namespace

Result<void> WorktreeStore::Open() const {
  std::error_code error;
  const fs::path root = plan_.root;
  fs::create_directories(root.parent_path().parent_path(), error);
  for (const std::string& path : {root.parent_path().string(), plan_.root}) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      return UsageError(path + ": " + std::strerror(errno), "set XDG_CACHE_HOME to another place");
    }
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
      return UsageError(path + ": not a directory", "set XDG_CACHE_HOME to another place");
    }
    // Else somebody else would say what is run here.
    if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      return UsageError(path + ": writable by others",
                        "chmod go-w it, or set XDG_CACHE_HOME to another place");
    }
  }
  // Where the home directory is a repository itself, a snapshot of it leaves this out.
  const std::string ignore = plan_.root + "/.gitignore";
  if (!fs::exists(ignore, error)) std::ofstream(ignore) << "*\n";
  return {};
}

Result<BuildCode> WorktreeStore::Provide(const WorktreeOrder& order) const {
  const WorktreePlaces places(plan_.root, order);
  auto folder = WorktreeFolder::Lock(places.folder, /*wait=*/false);
  if (folder && !*folder) {
    Say(ShortId(order.commit) + ": waiting for another session that builds it");
    folder = WorktreeFolder::Lock(places.folder, /*wait=*/true);
  }
  if (!folder) return std::move(folder).error();
  if ((*folder)->IsBuilt()) {
    MarkUsed(places);
    Say(ShortId(order.commit) + ": built before");
    return 0;
  }
  (*folder)->Empty();  // what an interrupted build left
  const WorktreeAbout begun{plan_.repository, places.tree, plan_.build, 0};
  auto written = (*folder)->WriteAbout(begun);
  if (!written) return std::move(written).error();
  auto code = Make(order);
  if (!code || *code != 0) {
    (*folder)->Remove();
    return code;
  }
  WorktreeAbout about = begun;
  about.bytes = BytesBelow(places.tree);
  auto marked = (*folder)->MarkBuilt(about);
  if (!marked) return std::move(marked).error();
  return 0;
}

Result<BuildCode> WorktreeStore::Make(const WorktreeOrder& order) const {
  auto checked_out = CheckOut(order);
  if (!checked_out) return std::move(checked_out).error().Within(ShortId(order.commit));
  return plan_.build.empty() ? Result<BuildCode>(0) : Build(order);
}

Result<void> WorktreeStore::CheckOut(const WorktreeOrder& order) const {
  const WorktreePlaces places(plan_.root, order);
  auto git = Git("", plan_.repository).WithoutFilters();
  if (!git) return std::move(git).error();
  Say(ShortId(order.commit) + ": checking out");
  // --force: a folder that was deleted by hand is still registered in the repository.
  auto added =
      git->Ask({"worktree", "add", "--quiet", "--detach", "--force", places.tree, order.commit});
  if (!added) return std::move(added).error();
  auto inside = Git(places.tree).WithoutFilters();
  if (inside) TellWhatIsMissing(*inside);
  return {};
}

Result<BuildCode> WorktreeStore::Build(const WorktreeOrder& order) const {
  const std::string seed =
      order.layout_seed.empty() ? "" : "BENCHD_LAYOUT_SEED=" + order.layout_seed + " ";
  Say(ShortId(order.commit) + ": " + seed + OneLine(plan_.build));
  ProcessOrder process;
  process.words = {"/bin/sh", "-c", plan_.build};
  process.cwd = WorktreePlaces(plan_.root, order).tree;
  process.environment = {{"GIT_TERMINAL_PROMPT", "0"}, {"PWD", process.cwd}};
  if (!seed.empty()) process.environment["BENCHD_LAYOUT_SEED"] = order.layout_seed;
  process.keeps_output = false;
  auto end = RunProcess(process);
  if (!end) return std::move(end).error();
  return end->code;
}

void MarkUsed(const WorktreePlaces& places) {
  std::error_code error;
  if (!fs::is_directory(places.built, error)) return;
  utimensat(AT_FDCWD, (places.folder + "/about.json").c_str(), nullptr, 0);
}

}  // namespace benchd::client
