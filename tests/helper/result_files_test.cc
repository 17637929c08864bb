#include "daemon/helper/result_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMiB = std::size_t{1024} * 1024;

/// In a working directory of its own, because patterns are below it.
class ResultFilesTest : public testing::Test {
 protected:
  ResultFilesTest() { fs::current_path(folder_.path()); }
  ~ResultFilesTest() override { fs::current_path(before_); }

  static FilePattern In(const std::string& pattern) {
    const auto made = FilePattern::Parse(pattern);
    EXPECT_TRUE(made) << made.error().message;
    return *made;
  }
  void Put(const std::string& name, const std::string& text = "x") const {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    folder_.Put(name, text);
  }
  /// The files that match, each with its text.
  static std::vector<std::string> Read(const std::string& pattern) {
    const auto files = ReadResultFiles(In(pattern), kMiB);
    EXPECT_TRUE(files) << files.error().message;
    std::vector<std::string> texts;
    if (!files) return texts;
    for (const ResultFile& file : *files) {
      texts.push_back(file.path + "=" + file.text);
    }
    return texts;
  }
  static Error ErrorOf(const std::string& pattern, std::size_t most = kMiB) {
    const auto files = ReadResultFiles(In(pattern), most);
    EXPECT_FALSE(files);
    return files ? Error() : files.error();
  }
  const fs::path before_ = fs::current_path();
  TempFolder folder_;
};

using Files = std::vector<std::string>;

TEST_F(ResultFilesTest, ReadsWhatMatchesInTheOrderOfPaths) {
  Put("b.json", "2");
  Put("a.json", "1");
  Put("a.txt", "3");
  Put(".a.json", "4");
  Put("c.json/d.json", "5");
  EXPECT_EQ(Read("?*.json"), (Files{"a.json=1", "b.json=2"})) << "no folder, and no hidden file";
  EXPECT_EQ(Read("a.json"), (Files{"a.json=1"}));
  EXPECT_EQ(Read("?.json/*.json"), (Files{"c.json/d.json=5"}));
}

TEST_F(ResultFilesTest, TwoStarsAreAnyNumberOfFolders) {
  Put("new/s.json", "1");
  Put("a/new/s.json", "2");
  Put("a/b/new/s.json", "3");
  Put("a/b/base/s.json", "4");
  Put(".git/new/s.json", "5");
  EXPECT_EQ(Read("**/new/s.json"), (Files{"a/b/new/s.json=3", "a/new/s.json=2", "new/s.json=1"}));
  EXPECT_EQ(Read("**/a/**/s.json"),
            (Files{"a/b/base/s.json=4", "a/b/new/s.json=3", "a/new/s.json=2"}))
      << "each once";
}

TEST_F(ResultFilesTest, TwoStarsFollowNoLink) {
  Put("a/s.json", "1");
  fs::create_directory_symlink(folder_ / "a", folder_ / "b");
  fs::create_directory_symlink(folder_.path(), folder_ / "a/up");
  EXPECT_EQ(Read("**/s.json"), (Files{"a/s.json=1"}));
  EXPECT_EQ(Read("b/s.json"), (Files{"b/s.json=1"})) << "unless the pattern names it";
}

TEST_F(ResultFilesTest, RemovesWhatMatchesAndNothingElse) {
  for (const char* name : {"a.json", "a.txt", "x/b.json", "x/y/c.json"}) Put(name);
  const auto removed = RemoveResultFiles(In("**/?*.json"));
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(fs::exists(folder_ / "a.txt"));
  EXPECT_TRUE(fs::exists(folder_ / "x/y"));
  for (const char* name : {"a.json", "x/b.json", "x/y/c.json"}) {
    EXPECT_FALSE(fs::exists(folder_ / name)) << name;
  }
  EXPECT_TRUE(RemoveResultFiles(In("**/?*.json"))) << "nothing matches now";
  EXPECT_TRUE(RemoveResultFiles(In("nosuch/a.json")));
  EXPECT_TRUE(RemoveResultFiles(In("a.txt/b.json")));
  EXPECT_WORDING(ErrorOf("**/?*.json"));
}

TEST_F(ResultFilesTest, NothingIsRemovedUnlessEverythingThatMatchesMayBe) {
  Put("a.json");
  Put("z.json");
  ASSERT_EQ(chmod("z.json", 0755), 0);
  const auto program = RemoveResultFiles(In("?*.json"));
  ASSERT_FALSE(program);
  EXPECT_WORDING(program.error());
  ASSERT_EQ(chmod("z.json", 0644), 0);
  ASSERT_EQ(mkfifo("b.json", 0600), 0);
  EXPECT_FALSE(RemoveResultFiles(In("?*.json")));
  EXPECT_TRUE(fs::exists("a.json"));
  EXPECT_TRUE(fs::exists("z.json"));
}

TEST_F(ResultFilesTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo((folder_ / "fifo.json").c_str(), 0600), 0);
  fs::create_symlink(folder_.Put("target", "old"), folder_ / "link.json");
  fs::create_directory(folder_ / "folder.json");
  for (const char* name : {"fifo.json", "link.json", "folder.json"}) {
    EXPECT_WORDING(ErrorOf(name));
    const auto removed = RemoveResultFiles(In(name));
    ASSERT_FALSE(removed) << name;
    EXPECT_WORDING(removed.error());
    EXPECT_TRUE(fs::exists(fs::symlink_status(folder_ / name))) << name;
  }
  EXPECT_TRUE(fs::exists(folder_ / "target"));
}

TEST_F(ResultFilesTest, LimitsTheBytesOfAllFilesTogether) {
  Put("a.json", std::string(kMiB / 2, 'x'));
  Put("b.json", std::string(kMiB / 2, 'x'));
  EXPECT_EQ(Read("?*.json").size(), 2U);
  Put("c.json", "x");
  const Error error = ErrorOf("?*.json");
  EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(error);
  // The size is not believed, but neither is a large file read to its end.
  Put("sparse");
  ASSERT_EQ(truncate((folder_ / "sparse").c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(ErrorOf("sparse").code, ErrorCode::kResourceExhausted);
}

TEST_F(ResultFilesTest, LimitsTheNumberOfFilesAndTheDepthOfFolders) {
  fs::create_directory(folder_ / "many");
  for (std::size_t i = 0; i <= kMaxResultFiles; ++i) {
    folder_.Put("many/" + std::to_string(i) + ".json", "");
  }
  EXPECT_WORDING(ErrorOf("many/*.json"));
  std::string deep = "deep";
  for (int i = 0; i < 70; ++i) deep += "/d";
  Put(deep + "/a.json");
  EXPECT_WORDING(ErrorOf("deep/**/a.json"));
}

TEST_F(ResultFilesTest, AFolderThatCannotBeReadIsAnError) {
  if (geteuid() == 0) GTEST_SKIP() << "root can read every folder";
  Put("closed/a.json");
  ASSERT_EQ(chmod((folder_ / "closed").c_str(), 0), 0);
  EXPECT_EQ(ErrorOf("closed/*.json").code, ErrorCode::kPermissionDenied);
  ASSERT_EQ(chmod((folder_ / "closed").c_str(), 0700), 0);
}

}  // namespace
}  // namespace benchd
