#include "daemon/helper/result_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

/// The maximum number of names in all folders that are searched.
constexpr std::size_t kMaxNames = 1'000'000;
/// The maximum depth of folders below one that `**` stands for.
constexpr std::size_t kMaxFolderDepth = 64;

Error TooMuchToSearch(const FilePattern& pattern, const std::string& what) {
  return Error{ErrorCode::kResourceExhausted, Quoted(pattern.text()) + ": " + what,
               "write a pattern with fewer wildcards"};
}

/// Whether there is nothing at a path. Files may vanish while folders are read.
bool IsGone(int error) { return error == ENOENT || error == ENOTDIR; }

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// Searches the file system for what matches a pattern.
class FileSearch {
 public:
  explicit FileSearch(const FilePattern& pattern) : pattern_(pattern) {}

  /// Returns everything that matches, except folders that a wildcard matches, by path.
  Result<std::vector<std::string>> Search() && {
    TRY_VOID(Enter("", 0, 0));
    std::ranges::sort(found_);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  using Part = FilePattern::Part;

  /// Searches a folder for part `index` of the pattern and the following ones.
  /// @param folder  empty for the working directory, or with a slash at its end
  /// @param depth   of folders in the place of the current `**`
  Result<void> Enter(const std::string& folder, std::size_t index, std::size_t depth) {
    const Part& part = pattern_.parts()[index];
    if (part.kind == Part::Kind::kName) return TakeName(folder, part.text, index);
    if (part.kind == Part::Kind::kFolders) {
      TRY_VOID(Enter(folder, index + 1, 0));
    }
    TRY(const auto names, NamesIn(folder));
    for (const std::string& name : names) {
      if (part.kind == Part::Kind::kSome) {
        if (!MatchesName(part, name)) continue;
        TRY_VOID(TakeName(folder, name, index));
      } else if (name[0] != '.' && IsFolder(folder + name)) {
        if (depth == kMaxFolderDepth) {
          return TooMuchToSearch(
              pattern_, fmt::format("folders are nested deeper than {} levels", kMaxFolderDepth));
        }
        TRY_VOID(Enter(folder + name + "/", index, depth + 1));
      }
    }
    return {};
  }

  Result<void> TakeName(const std::string& folder, const std::string& name, std::size_t index) {
    const std::string path = folder + name;
    if (index + 1 < pattern_.parts().size()) return Enter(path + "/", index + 1, 0);
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) {
      return IsGone(errno) ? Result<void>() : SystemError(ShownPath(path), errno);
    }
    if (S_ISDIR(info.st_mode) && pattern_.parts()[index].kind == Part::Kind::kSome) return {};
    if (found_.size() == kMaxResultFiles) {
      return TooMuchToSearch(pattern_, fmt::format("more than {} files match", kMaxResultFiles));
    }
    found_.push_back(path);
    return {};
  }

  /// A link to a folder is none, because it may lead back.
  static bool IsFolder(const std::string& path) {
    struct stat info {};
    return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  }

  Result<std::vector<std::string>> NamesIn(const std::string& folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, CloseFolder> open(opendir(folder.empty() ? "." : folder.c_str()));
    if (!open) {
      if (IsGone(errno)) return names;
      return SystemError(folder.empty() ? "the working directory" : ShownPath(folder), errno);
    }
    while (const dirent* const entry = readdir(open.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++names_ > kMaxNames) {
        return TooMuchToSearch(pattern_, fmt::format("more than {} files to search", kMaxNames));
      }
      names.emplace_back(name);
    }
    return names;
  }

  const FilePattern& pattern_;
  std::size_t names_ = 0;
  std::vector<std::string> found_;
};

/// @errors kInvalidArgument if a file is neither regular nor gone.
Result<void> CheckRegular(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return {};
  return InvalidArgument(ShownPath(path),
                         S_ISLNK(info.st_mode) ? "is a symbolic link" : "is not a regular file",
                         "only regular files are read, and removed before each run");
}

/// @errors kInvalidArgument if a file that matches is not the result of a run
Result<void> CheckRemovable(const std::string& path) {
  TRY_VOID(CheckRegular(path));
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || (info.st_mode & 0111U) == 0) return {};
  return InvalidArgument(ShownPath(path), "is a program",
                         "files that match are removed before each run; write a pattern that "
                         "matches only files with numbers");
}

/// Reads a regular file.
Result<std::string> ReadRegular(const std::string& path, std::size_t most_bytes) {
  // Some devices react when they are opened.
  TRY_VOID(CheckRegular(path));
  // The file may have been replaced meanwhile. Without O_NONBLOCK, opening a FIFO would wait for a
  // writer.
  const UniqueFd file(
      open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!file) return SystemError(ShownPath(path), errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return SystemError(ShownPath(path), errno);
  if (!S_ISREG(info.st_mode)) return InvalidArgument(ShownPath(path), "is not a regular file");
  // Also reveals a file that is larger than fstat() stated.
  TRY(auto text, ReadAll(file.get(), ShownPath(path), most_bytes));
  return text;
}

}  // namespace

std::string ShownPath(const std::string& path) { return OnOneLine(Utf8Lossy(path)); }

Result<void> RemoveResultFiles(const FilePattern& pattern) {
  TRY(const auto paths, FileSearch(pattern).Search());
  for (const std::string& path : paths) TRY_VOID(CheckRemovable(path));
  for (const std::string& path : paths) {
    if (unlink(path.c_str()) != 0 && !IsGone(errno)) return SystemError(ShownPath(path), errno);
  }
  return {};
}

Result<std::vector<ResultFile>> ReadResultFiles(const FilePattern& pattern,
                                                std::size_t most_bytes) {
  TRY(auto paths, FileSearch(pattern).Search());
  if (paths.empty()) {
    return Error{ErrorCode::kInvalidArgument, "no file matches " + Quoted(pattern.text()),
                 "benchd removes what matches before each run; the program must write the file in "
                 "each run, below the working directory of its command"};
  }
  std::vector<ResultFile> files;
  std::size_t left = most_bytes;
  for (std::string& path : paths) {
    TRY(auto text, ReadRegular(path, left));
    if (text.size() > left) {
      return Error{ErrorCode::kResourceExhausted,
                   fmt::format("{}: more than {} MiB, too large to parse", ShownPath(path),
                               most_bytes >> 20),
                   "make the harness write less"};
    }
    left -= text.size();
    files.push_back({std::move(path), std::move(text)});
  }
  return files;
}

}  // namespace benchd
