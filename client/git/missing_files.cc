#include "client/git/missing_files.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "client/git/git.h"
#include "client/present/text.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

// Splits a list of file names that git printed with -z.
std::vector<std::string> Names(std::string_view listed) { return Pieces(listed, '\0'); }

bool IsEmptyFolder(const std::string& path) {
  std::error_code error;
  return !fs::exists(path, error) || fs::is_empty(path, error);
}

std::vector<std::string> Pointers(const Git& git, const std::string& tree) {
  const auto listed = git.Ask({"ls-files", "-z", ":(attr:filter=lfs)"});
  std::vector<std::string> names = listed ? Names(*listed) : std::vector<std::string>();
  std::erase_if(names,
                [&tree](const std::string& name) { return !IsLfsPointer(tree + "/" + name); });
  return names;
}

std::vector<std::string> EmptySubmodules(const Git& git, const std::string& tree) {
  std::vector<std::string> names;
  const auto listed = git.Ask({"ls-files", "-z", "--stage"});
  for (const std::string& entry : listed ? Names(*listed) : std::vector<std::string>()) {
    const std::size_t tab = entry.find('\t');
    // 160000 is the mode of a gitlink.
    if (!entry.starts_with("160000 ") || tab == std::string::npos) continue;
    std::string name = entry.substr(tab + 1);
    if (IsEmptyFolder(tree + "/" + name)) names.push_back(std::move(name));
  }
  return names;
}

std::string SuchAs(const std::vector<std::string>& names) {
  return (names.size() > 1 ? ", such as " : ", ") + Printable(names.front());
}

}  // namespace

// Checks the first line, as specified: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
bool IsLfsPointer(const std::string& path) {
  constexpr std::string_view kBegin = "version https://git-lfs.github.com/spec/";
  std::array<char, kBegin.size()> begin{};
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;  // opening a pipe would block
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return file.gcount() == static_cast<std::streamsize>(begin.size()) &&
         std::string_view(begin.data(), begin.size()) == kBegin;
}

std::vector<Warning> FindMissingFiles(const std::string& tree, const std::string& commit) {
  std::vector<Warning> missing;
  const auto git = Git(tree).WithoutFilters();
  if (!git) return missing;
  if (const auto pointers = Pointers(*git, tree); !pointers.empty()) {
    missing.push_back(MakeWarning(
        "lfs_pointers", Counted(pointers.size(), "file") + " of " + commit +
                            (pointers.size() == 1 ? " is an LFS pointer" : " are LFS pointers") +
                            " instead of the content" + SuchAs(pointers)));
  }
  if (const auto empty = EmptySubmodules(*git, tree); !empty.empty()) {
    missing.push_back(MakeWarning(
        "empty_submodules", Counted(empty.size(), "submodule") + " of " + commit +
                                (empty.size() == 1 ? " is" : " are") + " empty" + SuchAs(empty)));
  }
  return missing;
}

}  // namespace benchd::client
