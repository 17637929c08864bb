#include "tests/fuzz/seeds.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/places.h"

namespace benchd::fuzz {
namespace {

std::vector<std::string> Unpacked(std::string_view text) {
  constexpr std::string_view kMark = "%% seed ";
  std::vector<std::string> seeds;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    if (line.starts_with(kMark)) {
      seeds.emplace_back();
    } else if (!seeds.empty()) {
      seeds.back() += line;
    }
  }
  for (std::string& seed : seeds) {
    if (seed.ends_with('\n')) seed.pop_back();
  }
  return seeds;
}

}  // namespace

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> SeedsOf(std::string_view name) {
  const std::filesystem::path folder = std::filesystem::path(test::TestFile("fuzz/corpus")) / name;
  std::vector<std::string> seeds = Unpacked(ReadFile(folder.string() + ".txt"));
  std::vector<std::filesystem::path> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    files.push_back(entry.path());
  }
  // So that the number of a mutation has the same meaning everywhere.
  std::ranges::sort(files);
  for (const auto& path : files) seeds.push_back(ReadFile(path));
  return seeds;
}

}  // namespace benchd::fuzz
