#include "client/git/worktree_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "client/git/git.h"
#include "client/git/process.h"
#include "client/git/repository.h"
#include "client/present/text.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;
using PlanJson = nlohmann::json;

constexpr char kLock[] = "/lock";
constexpr char kAbout[] = "/about.json";
constexpr char kBuilt[] = "/built";

Error FileError(const std::string& path) { return UsageError(path + ": " + std::strerror(errno)); }

// Returns false if the folder and its lock file were removed while this process waited.
bool IsSameFile(int fd, const std::string& path) {
  struct stat ours {};
  struct stat there {};
  return fstat(fd, &ours) == 0 && stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

}  // namespace

Result<std::optional<WorktreeFolder>> WorktreeFolder::Lock(const std::string& folder, bool wait) {
  const std::string path = folder + kLock;
  while (true) {
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return FileError(folder);
    UniqueFd lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (lock.get() < 0) {
      if (errno == ENOENT) continue;  // removed just now
      return FileError(path);
    }
    while (flock(lock.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::optional<WorktreeFolder>();
      if (errno != EINTR) return FileError(path);
    }
    if (IsSameFile(lock.get(), path)) {
      return std::optional<WorktreeFolder>(WorktreeFolder(folder, std::move(lock)));
    }
  }
}

bool WorktreeFolder::IsBuilt() const {
  std::error_code error;
  return fs::is_directory(folder_ + kBuilt, error);
}

std::optional<WorktreeAbout> WorktreeFolder::ReadAbout() const {
  std::ifstream file(folder_ + kAbout, std::ios::binary);
  const PlanJson json = PlanJson::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto text = [&json](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  WorktreeAbout about{text("repository"), text("tree"), text("build"), 0};
  const auto bytes = json.find("bytes");
  if (bytes != json.end() && bytes->is_number_unsigned()) about.bytes = bytes->get<std::uint64_t>();
  return about;
}

Result<void> WorktreeFolder::WriteAbout(const WorktreeAbout& about) const {
  const PlanJson json = {{"repository", about.repository},
                         {"tree", about.tree},
                         {"build", about.build},
                         {"bytes", about.bytes}};
  std::ofstream file(folder_ + kAbout, std::ios::binary | std::ios::trunc);
  file << json.dump(2, ' ', false, PlanJson::error_handler_t::replace) << "\n" << std::flush;
  if (!file) return FileError(folder_ + kAbout);
  return {};
}

Result<void> WorktreeFolder::MarkBuilt(const WorktreeAbout& about) const {
  auto written = WriteAbout(about);
  if (!written) return written;
  const std::string target = fs::path(about.tree).filename().string();
  if (symlink(target.c_str(), (folder_ + kBuilt).c_str()) != 0) return FileError(folder_ + kBuilt);
  return {};
}

std::chrono::system_clock::time_point WorktreeFolder::LastUse() const {
  struct stat info {};
  if (stat((folder_ + kAbout).c_str(), &info) != 0 && fstat(lock_.get(), &info) != 0) return {};
  return std::chrono::system_clock::from_time_t(info.st_mtime);
}

void WorktreeFolder::Empty() const {
  const auto about = ReadAbout();
  // Remove the link first, so that no command enters a worktree that is being removed.
  unlink((folder_ + kBuilt).c_str());
  std::error_code error;
  const bool ours = about && fs::path(about->tree).parent_path() == folder_;
  if (ours && fs::exists(about->repository, error)) {
    // Not `git worktree prune`: the user may have worktrees on a disk that is not mounted. Files
    // that git leaves behind are removed below.
    auto removed =
        Git("", about->repository).Run({"worktree", "remove", "--force", "--force", about->tree});
    if (!removed) removed = ProcessEnd{};
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().filename() != "lock") RemoveTree(entry.path().string());
  }
}

void WorktreeFolder::Remove() const {
  Empty();
  unlink((folder_ + kLock).c_str());
  rmdir(folder_.c_str());
}

std::uint64_t BytesBelow(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    struct stat info {};
    constexpr std::uint64_t kBlock = 512;  // unit of st_blocks on every file system
    if (lstat(entry->path().c_str(), &info) == 0) {
      bytes += kBlock * static_cast<std::uint64_t>(info.st_blocks);
    }
  }
  return bytes;
}

void RemoveTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  const auto open_up = [](const fs::path& folder) {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  };
  open_up(path);
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) open_up(entry->path());
  }
  fs::remove_all(path, error);
}

namespace {

void PrintLine(const std::string& text) { std::cout << text << std::endl; }

// Reports files that the checkout leaves out, because a build may fail without them.
void WarnOfMissingFiles(const Git& git) {
  for (const std::string& driver : git.filters()) {
    auto filtered = git.Ask({"ls-files", ":(attr:filter=" + driver + ")"});
    if (!filtered || filtered->empty()) continue;
    const std::size_t files = Lines(*filtered).size();
    PrintLine("warning: the filter " + Printable(driver) + " is off: " +
              Counted(files, "file is as git stores it", "files are as git stores them") +
              "; to fetch the content, use for example --build 'git lfs pull && make'");
  }
  auto entries = git.Ask({"ls-files", "--stage"});
  if (!entries) return;
  // 160000 is the mode of a gitlink.
  const auto submodules = std::ranges::count_if(
      Lines(*entries), [](const std::string& line) { return line.starts_with("160000 "); });
  if (submodules == 0) return;
  PrintLine("warning: " +
            Counted(static_cast<std::uint64_t>(submodules), "submodule is empty",
                    "submodules are empty") +
            "; to fetch the content, use for example --build 'git submodule update --init "
            "--recursive && make'");
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
    // Otherwise another user could choose the programs that run here.
    if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      return UsageError(path + ": writable by others",
                        "run chmod go-w on it, or set XDG_CACHE_HOME to another place");
    }
  }
  // If the home directory is itself a repository, its snapshots must not include this folder.
  const std::string ignore = plan_.root + "/.gitignore";
  if (!fs::exists(ignore, error)) std::ofstream(ignore) << "*\n";
  return {};
}

Result<BuildCode> WorktreeStore::Provide(const WorktreeOrder& order) const {
  const WorktreePlaces places(plan_.root, order);
  auto folder = WorktreeFolder::Lock(places.folder, /*wait=*/false);
  if (folder && !*folder) {
    PrintLine(ShortId(order.commit) + ": waiting for another session to build it");
    folder = WorktreeFolder::Lock(places.folder, /*wait=*/true);
  }
  if (!folder) return std::move(folder).error();
  if ((*folder)->IsBuilt()) {
    MarkUsed(places);
    PrintLine(ShortId(order.commit) + ": already built");
    return 0;
  }
  (*folder)->Empty();  // removes the remains of an interrupted build
  const WorktreeAbout begun{plan_.repository, places.tree, plan_.build, 0};
  TRY_VOID((*folder)->WriteAbout(begun));
  auto code = Make(order);
  if (!code || *code != 0) {
    (*folder)->Remove();
    return code;
  }
  WorktreeAbout about = begun;
  about.bytes = BytesBelow(places.tree);
  TRY_VOID((*folder)->MarkBuilt(about));
  return 0;
}

Result<BuildCode> WorktreeStore::Make(const WorktreeOrder& order) const {
  auto checked_out = CheckOut(order);
  if (!checked_out) return std::move(checked_out).error().Within(ShortId(order.commit));
  return plan_.build.empty() ? Result<BuildCode>(0) : Build(order);
}

Result<void> WorktreeStore::CheckOut(const WorktreeOrder& order) const {
  const WorktreePlaces places(plan_.root, order);
  TRY(auto git, Git("", plan_.repository).WithoutFilters());
  PrintLine(ShortId(order.commit) + ": checking out");
  // --force, because a folder that was deleted by hand is still registered in the repository.
  TRY_VOID(
      git.Ask({"worktree", "add", "--quiet", "--detach", "--force", places.tree, order.commit}));
  auto inside = Git(places.tree).WithoutFilters();
  if (inside) WarnOfMissingFiles(*inside);
  return {};
}

Result<BuildCode> WorktreeStore::Build(const WorktreeOrder& order) const {
  const std::string seed =
      order.layout_seed.empty() ? "" : "BENCHD_LAYOUT_SEED=" + order.layout_seed + " ";
  PrintLine(ShortId(order.commit) + ": " + seed + OneLine(plan_.build));
  ProcessOrder process;
  process.words = {"/bin/sh", "-c", plan_.build};
  process.cwd = WorktreePlaces(plan_.root, order).tree;
  process.environment = {{"GIT_TERMINAL_PROMPT", "0"}, {"PWD", process.cwd}};
  if (!seed.empty()) process.environment["BENCHD_LAYOUT_SEED"] = order.layout_seed;
  process.keeps_output = false;
  TRY(auto end, RunProcess(process));
  return end.code;
}

void MarkUsed(const WorktreePlaces& places) {
  std::error_code error;
  if (!fs::is_directory(places.built, error)) return;
  utimensat(AT_FDCWD, (places.folder + "/about.json").c_str(), nullptr, 0);
}

namespace {

using SystemClock = std::chrono::system_clock;

struct Kept {
  WorktreeFolder folder;  // locked
  SystemClock::time_point used;
  std::uint64_t bytes = 0;
};

// Removes worktrees that are too old. Returns the others, locked, except those of the plan and
// those in use.
std::vector<Kept> RemoveOld(const WorktreePlan& plan, const WorktreeLimits& limits,
                            SystemClock::time_point now) {
  std::vector<Kept> kept;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(plan.root, error)) {
    std::error_code ignored;
    const std::string name = entry.path().filename().string();
    const bool planned = std::ranges::any_of(
        plan.trees, [&name](const WorktreeOrder& order) { return order.key == name; });
    if (planned || entry.is_symlink(ignored) || !entry.is_directory(ignored)) continue;
    auto folder = WorktreeFolder::Lock(entry.path().string(), /*wait=*/false);
    if (!folder || !*folder) continue;
    const bool built = (*folder)->IsBuilt();
    const SystemClock::time_point used = (*folder)->LastUse();
    if (now - used > (built ? limits.unused : limits.interrupted)) {
      (*folder)->Remove();
    } else if (const auto about = (*folder)->ReadAbout(); built && about) {
      kept.push_back({*std::move(*folder), used, about->bytes});
    }
  }
  return kept;
}

void RemoveBeyond(std::uint64_t planned_bytes, std::vector<Kept> kept, const WorktreeLimits& limits,
                  SystemClock::time_point now) {
  std::uint64_t bytes = planned_bytes;
  for (const Kept& one : kept) bytes += one.bytes;
  std::ranges::sort(kept, {}, &Kept::used);
  for (const Kept& one : kept) {
    if (bytes <= limits.bytes || now - one.used < limits.spared) return;
    one.folder.Remove();
    bytes -= one.bytes;
  }
}

std::uint64_t PlannedBytes(const WorktreePlan& plan) {
  std::uint64_t bytes = 0;
  for (const WorktreeOrder& order : plan.trees) {
    auto folder = WorktreeFolder::Lock(WorktreePlaces(plan.root, order).folder, /*wait=*/false);
    if (!folder || !*folder) continue;
    if (const auto about = (*folder)->ReadAbout()) bytes += about->bytes;
  }
  return bytes;
}

}  // namespace

void WorktreeStore::Clean(const WorktreeLimits& limits) const {
  const auto now = SystemClock::now();
  RemoveBeyond(PlannedBytes(plan_), RemoveOld(plan_, limits, now), limits, now);
  // A worktree keeps its own commit alive. The refs are needed only by sessions in the queue.
  RemoveOldSnapshots(Git("", plan_.repository), limits.unused);
}

}  // namespace benchd::client
