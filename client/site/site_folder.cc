#include "client/site/site_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "client/app/exit_code.h"
#include "client/present/text.h"
#include "client/site/site_paths.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr char kMarker[] = ".benchctl-site";
constexpr std::string_view kMarkerHead =
    "benchctl history --site writes this folder, and replaces and removes these files:\n";
constexpr std::size_t kMostMarkerBytes = std::size_t{64} << 20U;
constexpr mode_t kFolderMode = 0777;  // before the umask
constexpr mode_t kFileMode = 0666;

Error SystemError(const std::string& path) {
  return UsageError(path + ": " + std::strerror(errno));
}

UniqueFd OpenFolder(int at, const char* path, int more_flags = 0) {
  return UniqueFd(openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | more_flags));
}

/// Returns the content of a regular file; absent if it is missing, larger, or something else.
std::optional<std::string> ContentOf(int folder, const std::string& name, std::size_t most) {
  const UniqueFd file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (static_cast<std::size_t>(status.st_size) > most) return std::nullopt;
  auto text = ReadAll(file.get(), name, most);
  if (!text || text->size() > most) return std::nullopt;
  return *std::move(text);
}

std::string ParentOf(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Replaces a file unless it has this content. Returns whether it did.
Result<bool> Replace(int folder, const std::string& name, std::string_view text,
                     const std::string& path) {
  if (const auto old = ContentOf(folder, name, text.size()); old && *old == text) return false;
  const std::string temporary = fmt::format(".benchctl.{}.tmp", getpid());
  UniqueFd fd(openat(folder, temporary.c_str(),
                     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!fd) return SystemError(path);
  Result<void> written = WriteAll(fd.get(), text, path);
  // A network file system may report a full disk only on close.
  if (close(fd.Release()) != 0 && written) written = SystemError(path);
  if (written && renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) {
    written = SystemError(path);
  }
  if (written) return true;
  unlinkat(folder, temporary.c_str(), 0);
  return std::move(written).error();
}

std::string MarkerOf(const std::set<std::string>& files) {
  std::string text(kMarkerHead);
  for (const std::string& file : files) text += file + "\n";
  return text;
}

/// Reads the paths of a marker. Other lines, which somebody else wrote, are ignored.
std::set<std::string> FilesOfMarker(std::string_view text) {
  std::set<std::string> files;
  for (const std::string& line : Lines(text.substr(kMarkerHead.size()))) {
    if (IsSitePath(line)) files.insert(line);
  }
  return files;
}

/// The open folders of a site.
class OpenSite {
 public:
  static Result<OpenSite> Open(const std::string& path) {
    if (mkdir(path.c_str(), kFolderMode) != 0 && errno != EEXIST) return SystemError(path);
    OpenSite site;
    site.path_ = path;
    site.root_ = OpenFolder(AT_FDCWD, path.c_str());
    if (!site.root_) return SystemError(path);
    return site;
  }

  int root() const { return root_.get(); }

  /// Calls `act` with the folder of a file, its name in it, and its path for messages.
  template <typename Act>
  auto In(const std::string& file, Act act) -> decltype(act(0, file, file)) {
    const std::string path = path_ + "/" + file;
    const std::size_t slash = file.find('/');
    if (slash == std::string::npos) return act(root_.get(), file, path);
    const std::string folder = file.substr(0, slash);
    UniqueFd& fd = folder == "badge" ? badges_ : pages_;
    if (!fd) {
      mkdirat(root_.get(), folder.c_str(), kFolderMode);
      fd = OpenFolder(root_.get(), folder.c_str(), O_NOFOLLOW);
    }
    if (!fd) return SystemError(path_ + "/" + folder);
    return act(fd.get(), file.substr(slash + 1), path);
  }

 private:
  std::string path_;
  UniqueFd root_;
  UniqueFd pages_;
  UniqueFd badges_;
};

}  // namespace

Result<SiteFolder> SiteFolder::Prepare(const std::string& path) {
  const std::string what = "--site " + path;
  SiteFolder folder;
  folder.path_ = path;
  if (path.empty()) return UsageError("--site: empty name of a folder");
  const UniqueFd root = OpenFolder(AT_FDCWD, path.c_str());
  if (!root && errno == ENOTDIR) return UsageError(what + ": is not a directory");
  if (!root && errno == ENOENT) {
    if (OpenFolder(AT_FDCWD, ParentOf(path).c_str())) return folder;
    return UsageError(what + ": " + std::strerror(errno), "create its parent first");
  }
  if (!root) return SystemError(what);
  if (faccessat(root.get(), ".", W_OK, AT_EACCESS) != 0) return SystemError(what);
  const auto marker = ContentOf(root.get(), kMarker, kMostMarkerBytes);
  if (marker && marker->starts_with(kMarkerHead)) {
    folder.known_ = FilesOfMarker(*marker);
    return folder;
  }
  std::error_code error;
  if (std::filesystem::is_empty(path, error)) return folder;
  return UsageError(what + ": has files that benchctl did not write",
                    "name a new folder, an empty one, or one that --site wrote");
}

Result<SiteChanges> SiteFolder::Write(const std::vector<SiteFile>& files) const {
  TRY(auto site, OpenSite::Open(path_));
  std::set<std::string> current;
  for (const SiteFile& file : files) current.insert(file.path);
  for (const SiteFile& file : files) {
    if (known_.contains(file.path)) continue;
    TRY(const bool foreign,
        site.In(file.path,
                [](int folder, const std::string& name, const std::string&) -> Result<bool> {
                  struct stat status {};
                  return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
                }));
    if (foreign) {
      return UsageError("--site " + path_ + ": benchctl did not write its file " + file.path,
                        "move that file, or name another folder");
    }
  }
  // While files are written, the marker lists the old and the new ones, so that a later call knows
  // those that an interrupted one left behind.
  std::set<std::string> both = known_;
  both.insert(current.begin(), current.end());
  const std::string marker = path_ + "/" + kMarker;
  TRY_VOID(Replace(site.root(), kMarker, MarkerOf(both), marker));
  SiteChanges changes;
  for (const SiteFile& file : files) {
    TRY(const bool written,
        site.In(file.path, [&file](int folder, const std::string& name, const std::string& path) {
          return Replace(folder, name, file.text, path);
        }));
    changes.written += written ? 1 : 0;
    changes.bytes += file.text.size();
  }
  changes.files = files.size();
  for (const std::string& old : known_) {
    if (current.contains(old)) continue;
    TRY(const bool removed,
        site.In(old,
                [](int folder, const std::string& name, const std::string& path) -> Result<bool> {
                  if (unlinkat(folder, name.c_str(), 0) == 0) return true;
                  if (errno == ENOENT) return false;
                  return SystemError(path);
                }));
    changes.removed += removed ? 1 : 0;
  }
  TRY_VOID(Replace(site.root(), kMarker, MarkerOf(current), marker));
  return changes;
}

}  // namespace benchd::client
