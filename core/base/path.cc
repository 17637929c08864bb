#include "core/base/path.h"

#include <filesystem>
#include <string>

namespace benchd {

bool NamesADescriptor(std::string_view path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  const std::string_view place = normal;
  for (const std::string_view stream : {"/dev/stdin", "/dev/stdout", "/dev/stderr"}) {
    if (place == stream) return true;
  }
  for (const std::string_view folder : {"/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"}) {
    const bool begins = place.starts_with(folder);
    if (begins && (place.size() == folder.size() || place[folder.size()] == '/')) return true;
  }
  return false;
}

}  // namespace benchd
