#include "daemon/store/state_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/file.h"

namespace benchd::store {
namespace {

Error OfStateDir(Error error) {
  error.hint = "choose another --state-dir, or make this one writable";
  return error;
}

Error StateDirError(const std::filesystem::path& file, int errno_value) {
  return OfStateDir(SystemError(file.string(), errno_value));
}

}  // namespace

Error StateDiskFull() {
  return {ErrorCode::kResourceExhausted, "the disk of benchd's state directory is full",
          "make room on the file system of benchd's state directory"};
}

Error FileNotKept(const std::filesystem::path& file, int errno_value) {
  if (errno_value == ENOSPC || errno_value == EDQUOT) return StateDiskFull();
  return SystemError(file.string(), errno_value);
}

Result<void> MakeFolder(const std::filesystem::path& folder) {
  if (auto made = MakeFolders(folder.string()); !made) return OfStateDir(std::move(made).error());
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) return StateDirError(folder, ENOTDIR);
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return StateDirError(folder, errno);
  }
  return {};
}

Result<void> MakePrivateFile(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return StateDirError(file, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return SystemError(file.string(), errno);
  if ((status.st_mode & 077) != 0 && ::fchmod(fd.get(), 0600) != 0) {
    return SystemError(file.string(), errno);
  }
  return {};
}

bool Exists(const std::filesystem::path& file) {
  struct stat status {};
  return ::lstat(file.c_str(), &status) == 0;
}

Result<void> Rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return FileNotKept(from, errno);
  return {};
}

Result<void> Sync(const std::filesystem::path& file_or_folder) {
  const UniqueFd fd(::open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return FileNotKept(file_or_folder, errno);
  return {};
}

}  // namespace benchd::store
