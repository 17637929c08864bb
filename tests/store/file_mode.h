#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace benchd::store {

/// The permission bits of `file`, or -1 if it does not exist.
inline int ModeOf(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return -1;
  return static_cast<int>(status.st_mode & 07777);
}

}  // namespace benchd::store
