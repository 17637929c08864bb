#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace benchd {

/// A temporary folder with mode 0700; the destructor removes it with its contents.
class TempFolder {
 public:
  explicit TempFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    path_ = (parent / "benchd_test_XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp " + path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string Put(const std::string& name, const std::string& text, mode_t mode = 0644) const {
    const std::string path = *this / name;
    std::ofstream(path) << text;
    if (::chmod(path.c_str(), mode) != 0) throw std::runtime_error("chmod " + path);
    return path;
  }

 private:
  std::string path_;
};

}  // namespace benchd
