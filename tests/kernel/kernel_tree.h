#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "tests/support/temp_folder.h"

namespace benchd {

/// A folder in place of "/" for a test; removed by the destructor.
class KernelTree {
 public:
  std::string root() const { return root_.string(); }

  void Put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }

  /// A file's bytes; empty if it does not exist.
  std::string Get(const std::string& path) const {
    std::ifstream file(root_ / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Every file's bytes by its path below the root, to compare before and after.
  std::map<std::string, std::string> Contents() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      const std::string path = entry.path().lexically_relative(root_).string();
      if (entry.is_regular_file()) all[path] = Get(path);
    }
    return all;
  }

  /// Adds a CPU with its core's list of siblings.
  void PutCpu(int cpu, const std::string& siblings, int package = 0) const {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    Put(folder + "core_cpus_list", siblings);
    Put(folder + "physical_package_id", std::to_string(package));
  }

 private:
  TempFolder folder_;
  std::filesystem::path root_ = folder_.path();
};

}  // namespace benchd
