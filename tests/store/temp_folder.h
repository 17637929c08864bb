#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace benchd::store {

/// A folder of its own for one test, gone afterwards with all that is in it.
class TempFolder {
 public:
  TempFolder() {
    std::string name = testing::TempDir() + "benchd-store-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The permission bits of `file`, or -1 where there is none.
inline int ModeOf(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return -1;
  return static_cast<int>(status.st_mode & 07777);
}

}  // namespace benchd::store
