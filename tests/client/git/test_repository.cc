#include "tests/client/git/test_repository.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "client/git/process.h"

namespace benchd::client {

GitTest::GitTest() {
  setenv("HOME", folder().c_str(), 1);
  setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  setenv("GIT_CONFIG_GLOBAL", (folder_ / "gitconfig").c_str(), 1);
  setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
  // Without it, git would look for a repository above the folder.
  setenv("GIT_CEILING_DIRECTORIES", folder().c_str(), 1);
  std::ofstream(folder_ / "gitconfig")
      << "[user]\nname = A\nemail = a@localhost\n[init]\ndefaultBranch = main\n";
  std::filesystem::create_directory(repository());
  Git({"init", "--quiet"});
  Write("a.txt", "one\n");
  Commit("first");
}

GitTest::~GitTest() {
  for (const char* name :
       {"XDG_CACHE_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"}) {
    unsetenv(name);
  }
}

std::string GitTest::Git(std::vector<std::string> words) const {
  ProcessOrder order;
  order.words = {"git"};
  order.words.insert(order.words.end(), words.begin(), words.end());
  order.cwd = repository();
  auto end = RunProcess(order);
  if (!end) {
    ADD_FAILURE() << end.error().message;
    return "";
  }
  EXPECT_EQ(end->code, 0) << words.front() << ": " << end->err;
  if (end->out.ends_with('\n')) end->out.pop_back();
  return end->out;
}

void GitTest::Write(const std::string& name, const std::string& content) const {
  const std::filesystem::path path = repository() + "/" + name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

std::string GitTest::Read(const std::string& path) const {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string GitTest::Commit(const std::string& message) const {
  Git({"add", "--all"});
  Git({"commit", "--quiet", "--allow-empty", "-m", message});
  return Git({"rev-parse", "HEAD"});
}

}  // namespace benchd::client
