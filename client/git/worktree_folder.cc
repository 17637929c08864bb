#include "client/git/worktree_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "client/git/git.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;
using PlanJson = nlohmann::json;

constexpr char kLock[] = "/lock";
constexpr char kAbout[] = "/about.json";
constexpr char kBuilt[] = "/built";

Error FileError(const std::string& path) { return UsageError(path + ": " + std::strerror(errno)); }

// Whoever removed the folder while we waited took the lock's file with it.
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
  // First, so that nobody is led into what is being removed.
  unlink((folder_ + kBuilt).c_str());
  std::error_code error;
  const bool ours = about && fs::path(about->tree).parent_path() == folder_;
  if (ours && fs::exists(about->repository, error)) {
    // Only this one, no `git worktree prune`: a worktree of the user's may be on a disk that is not
    // plugged in. What git leaves of it is removed below.
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
    constexpr std::uint64_t kBlock = 512;  // of st_blocks, whatever the file system's are
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

}  // namespace benchd::client
