#include "core/base/path.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace benchd {
namespace {

namespace fs = std::filesystem;

bool IsProcess(const std::string& name) {
  return name == "self" || name == "thread-self" ||
         (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos);
}

}  // namespace

bool NamesADescriptor(std::string_view path) {
  const fs::path normal = fs::path(path).lexically_normal();
  for (const char* stream : {"/dev/stdin", "/dev/stdout", "/dev/stderr"}) {
    if (normal == stream) return true;
  }
  const std::vector<std::string> parts(normal.begin(), normal.end());
  const auto part = [&parts](std::size_t i) { return i < parts.size() ? parts[i] : ""; };
  if (part(0) != "/") return false;
  if (part(1) == "dev") return part(2) == "fd";
  if (part(1) != "proc" || !IsProcess(part(2))) return false;
  return part(3) == "fd" || (part(3) == "task" && IsProcess(part(4)) && part(5) == "fd");
}

bool LeadsToADescriptor(std::string_view path) {
  constexpr int kMostLinks = 40;  // the limit in path_resolution(7)
  fs::path place(path);
  for (int i = 0; i <= kMostLinks; ++i) {
    if (NamesADescriptor(place.string())) return true;
    std::error_code error;
    const fs::path folder = fs::canonical(place.parent_path(), error);
    if (!error && NamesADescriptor((folder / place.filename()).string())) return true;
    const fs::path target = fs::read_symlink(place, error);
    if (error) return false;
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  return false;
}

}  // namespace benchd
