#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>

#include "daemon/options.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

GetEnv Env(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    if (it == variables.end()) return std::nullopt;
    return it->second;
  };
}

PlaceOptions User() {
  PlaceOptions options;
  options.user = true;
  return options;
}

// Every path below is in the contract's table "Programs, privileges, places".
TEST(ChoosePathsTest, TheSystemsPlacesDoNotDependOnTheEnvironment) {
  const Result<Paths> paths = ChoosePaths(
      {}, Env({{"HOME", "/h"}, {"XDG_RUNTIME_DIR", "/r"}, {"XDG_STATE_HOME", "/s"}}), 1000);
  ASSERT_TRUE(paths) << paths.error().message;
  EXPECT_EQ(paths->config, "/etc/benchd/benchd.toml");
  EXPECT_EQ(paths->socket, "/run/benchd/benchd.sock");
  EXPECT_EQ(paths->database, "/var/lib/benchd/benchd.db");
  EXPECT_FALSE(paths->private_runtime_dir);
}

TEST(ChoosePathsTest, AUsersPlacesFollowTheXdgVariables) {
  const Result<Paths> paths = ChoosePaths(
      User(), Env({{"XDG_RUNTIME_DIR", "/r"}, {"XDG_STATE_HOME", "/s"}, {"XDG_CONFIG_HOME", "/c"}}),
      1000);
  ASSERT_TRUE(paths) << paths.error().message;
  EXPECT_EQ(paths->config, "/c/benchd/benchd.toml");
  EXPECT_EQ(paths->socket, "/r/benchd/benchd.sock");
  EXPECT_EQ(paths->database, "/s/benchd/benchd.db");
  EXPECT_TRUE(paths->private_runtime_dir);
}

TEST(ChoosePathsTest, WithoutThemTheyAreBelowHomeAndTmp) {
  for (const char* unset : {"", "relative/path"}) {
    const Result<Paths> paths = ChoosePaths(User(),
                                            Env({{"HOME", "/h"},
                                                 {"XDG_RUNTIME_DIR", unset},
                                                 {"XDG_STATE_HOME", unset},
                                                 {"XDG_CONFIG_HOME", unset}}),
                                            1234);
    ASSERT_TRUE(paths) << paths.error().message;
    EXPECT_EQ(paths->config, "/h/.config/benchd/benchd.toml");
    EXPECT_EQ(paths->database, "/h/.local/state/benchd/benchd.db");
    EXPECT_EQ(paths->socket, "/tmp/benchd-1234/benchd.sock");
    EXPECT_TRUE(paths->private_runtime_dir);
  }
}

TEST(ChoosePathsTest, AUserWithoutAHomeIsToldWhatToDo) {
  const Result<Paths> paths = ChoosePaths(User(), Env({}), 1000);
  ASSERT_FALSE(paths);
  EXPECT_WORDING(paths.error());
}

TEST(ChoosePathsTest, AnOptionWinsAndNeedsNoVariable) {
  PlaceOptions options = User();
  options.config = "/o/c.toml";
  options.state_dir = "/o/state";
  options.runtime_dir = "/o/run";
  Result<Paths> paths = ChoosePaths(options, Env({}), 1000);
  ASSERT_TRUE(paths) << paths.error().message;
  EXPECT_EQ(paths->config, "/o/c.toml");
  EXPECT_EQ(paths->socket, "/o/run/benchd.sock");
  EXPECT_EQ(paths->database, "/o/state/benchd.db");
  EXPECT_FALSE(paths->private_runtime_dir);
  options.socket = "/elsewhere/s";
  paths = ChoosePaths(options, Env({}), 1000);
  EXPECT_EQ(paths->socket, "/elsewhere/s");
}

TEST(ChoosePathsTest, ASocketPathThatTheKernelCannotTakeIsRefused) {
  PlaceOptions options;
  options.socket = "/" + std::string(106, 'x');  // 107 bytes: sun_path has 108 with the NUL
  EXPECT_TRUE(ChoosePaths(options, Env({}), 0));
  options.socket += "x";
  EXPECT_FALSE(ChoosePaths(options, Env({}), 0));
}

TEST(EnsurePrivateDirectoryTest, MakesADirectoryThatIsOursAlone) {
  const TempFolder dir;
  const mode_t before = ::umask(0);
  const Result<void> made = EnsurePrivateDirectory(dir / "d", ::getuid());
  ::umask(before);
  ASSERT_TRUE(made) << made.error().message;
  struct stat info {};
  ASSERT_EQ(::lstat((dir / "d").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0700U);
  EXPECT_TRUE(EnsurePrivateDirectory(dir / "d", ::getuid())) << "and accepts it again";
}

TEST(EnsurePrivateDirectoryTest, RefusesALink) {
  const TempFolder dir;
  ASSERT_TRUE(EnsurePrivateDirectory(dir / "real", ::getuid()));
  std::filesystem::create_directory_symlink(dir / "real", dir / "link");
  const Result<void> result = EnsurePrivateDirectory(dir / "link", ::getuid());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(result.error(), {{dir.path(), "DIR"}});
}

TEST(EnsurePrivateDirectoryTest, RefusesAnotherMode) {
  const TempFolder dir;
  for (const auto& [mode, text] : {std::pair{0755, "0755"}, {0701, "0701"}, {01700, "1700"}}) {
    std::filesystem::create_directory(dir / text);
    ASSERT_EQ(::chmod((dir / text).c_str(), static_cast<mode_t>(mode)), 0);
    const Result<void> result = EnsurePrivateDirectory(dir / text, ::getuid());
    ASSERT_FALSE(result);
    EXPECT_WORDING(result.error(), {{dir.path(), "DIR"}});
  }
}

TEST(EnsurePrivateDirectoryTest, RefusesAForeignOwner) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root: makes a directory of another user";
  const TempFolder dir;
  ASSERT_TRUE(EnsurePrivateDirectory(dir / "d", ::getuid()));
  ASSERT_EQ(::chown((dir / "d").c_str(), 65534, 65534), 0);
  const Result<void> result = EnsurePrivateDirectory(dir / "d", ::getuid());
  ASSERT_FALSE(result);
  EXPECT_WORDING(result.error(), {{dir.path(), "DIR"}});
}

TEST(EnsurePrivateDirectoryTest, RefusesAFile) {
  const TempFolder dir;
  dir.Put("f", "");
  const Result<void> result = EnsurePrivateDirectory(dir / "f", ::getuid());
  ASSERT_FALSE(result);
  EXPECT_WORDING(result.error(), {{dir.path(), "DIR"}});
}

TEST(EnsureDirectoryTest, MakesTheWholePath) {
  const TempFolder dir;
  ASSERT_TRUE(EnsureDirectory(dir / "a/b/c"));
  EXPECT_TRUE(std::filesystem::is_directory(dir / "a/b/c"));
  EXPECT_TRUE(EnsureDirectory(dir / "a/b/c"));
  EXPECT_TRUE(EnsureDirectory("")) << "the parent of a bare file name";
  dir.Put("f", "");
  EXPECT_FALSE(EnsureDirectory(dir / "f/below"));
}

}  // namespace
}  // namespace benchd
