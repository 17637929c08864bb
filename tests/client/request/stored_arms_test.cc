#include "client/request/stored_arms.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/client/refusals.h"
#include "tests/support/temp_folder.h"

namespace {

// Records the paths of synced descriptors, in order, while it exists.
class SyncedPaths {
 public:
  explicit SyncedPaths(std::string place) : place_(std::move(place)) { watching_ = this; }
  ~SyncedPaths() { watching_ = nullptr; }
  SyncedPaths(const SyncedPaths&) = delete;
  SyncedPaths& operator=(const SyncedPaths&) = delete;

  static void Note(int fd) {
    if (watching_ == nullptr) return;
    std::error_code error;
    const std::string path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
    watching_->paths.push_back((std::filesystem::exists(watching_->place_) ? "then " : "") +
                               std::filesystem::path(path).filename().string());
  }

  std::vector<std::string> paths;  ///< file names, with "then" once `place` exists

 private:
  static inline SyncedPaths* watching_ = nullptr;
  const std::string place_;
};

}  // namespace

// Replaces fsync of the C library in this program, because calls cannot be observed afterwards.
extern "C" int fsync(int fd) {
  SyncedPaths::Note(fd);
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace benchd::client {
namespace {

class StoredArmsTest : public testing::Test {
 protected:
  std::string Program(const std::string& name, const std::string& text) const {
    const std::string path = dir_ / name;
    std::ofstream(path) << text;
    chmod(path.c_str(), 0755);
    return path;
  }

  static StoredArm Arm(const std::string& name) {
    return {.name = name,
            .command = "./bench --filter 'a b'",
            .cwd = "/src",
            .saved_at = "2026-03-01T12:00:00.000000000Z"};
  }

  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  TempFolder dir_;
  StoredArms arms_{dir_ / "arms"};
};

TEST_F(StoredArmsTest, KeepsACopyThatOnlyItsOwnerMayRead) {
  const auto saved = arms_.Save(Arm("main"), Program("bench", "abc"));
  ASSERT_TRUE(saved) << saved.error().message;
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(saved->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string copy = dir_ / "arms/main/bin/bench";
  EXPECT_EQ(Read(copy), "abc");
  EXPECT_EQ(arms_.CommandOf(*saved), copy + " --filter 'a b'");
  struct stat info {};
  for (const std::string& path : {copy, dir_ / "arms/main"}) {
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0700U) << path;
  }
  const auto read = arms_.Read("main");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, *saved);
  EXPECT_TRUE(arms_.Verify(*read));
}

TEST_F(StoredArmsTest, IsOnTheDiskBeforeItIsInItsPlaceAndItsPlaceIsAsWell) {
  const std::string program = Program("bench", "abc");
  const SyncedPaths synced(dir_ / "arms/main");
  ASSERT_TRUE(arms_.Save(Arm("main"), program));
  ASSERT_EQ(synced.paths.size(), 5U);
  EXPECT_EQ(synced.paths[0], "bench");
  EXPECT_EQ(synced.paths[1], "arm.json");
  EXPECT_EQ(synced.paths[2], "bin");
  EXPECT_FALSE(synced.paths[3].starts_with("then ")) << "the folder of the three";
  EXPECT_EQ(synced.paths[4], "then arms");
}

TEST_F(StoredArmsTest, ANameThatIsTakenGetsTheNewProgramAndNothingIsLeftOfTheOld) {
  ASSERT_TRUE(arms_.Save(Arm("main"), Program("old", "old")));
  ASSERT_TRUE(arms_.Save(Arm("main"), Program("new", "new")));
  const auto arm = arms_.Read("main");
  ASSERT_TRUE(arm);
  EXPECT_EQ(arm->program, "new");
  EXPECT_TRUE(arms_.Verify(*arm));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "arms/main/bin/old"));
  const std::filesystem::directory_iterator files(dir_ / "arms");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(StoredArmsTest, ACopyThatWasChangedIsRefusedByName) {
  const auto saved = arms_.Save(Arm("main"), Program("bench", "abc"));
  ASSERT_TRUE(saved);
  std::ofstream(dir_ / "arms/main/bin/bench") << "abd";
  ExpectRefused(arms_.Verify(*saved), {{dir_.path(), "DIR"}});
}

TEST_F(StoredArmsTest, WhatIsNotThereIsSaidWithTheNearestName) {
  ExpectRefused(arms_.Read("main"));
  EXPECT_TRUE(arms_.Names().empty());
  ASSERT_TRUE(arms_.Save(Arm("release"), Program("bench", "abc")));
  ExpectRefused(arms_.Read("relaese"));
  ExpectRefused(arms_.Remove("x"));
}

TEST_F(StoredArmsTest, IsGoneOnceItIsRemoved) {
  ASSERT_TRUE(arms_.Save(Arm("b"), Program("bench", "abc")));
  ASSERT_TRUE(arms_.Save(Arm("a"), Program("bench", "abc")));
  EXPECT_EQ(arms_.Names(), (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(arms_.Remove("b"));
  EXPECT_EQ(arms_.Names(), std::vector<std::string>{"a"});
  const std::filesystem::directory_iterator files(dir_ / "arms");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(StoredArmsTest, NamesAreThoseOfPlainFiles) {
  for (const char* name : {"main", "v1.5", "a_b-C9", "-"}) EXPECT_TRUE(CheckArmName(name)) << name;
  for (const std::string name : {"", ".", "..", ".hidden", "a/b", "a b", "é", "a\n"}) {
    EXPECT_FALSE(CheckArmName(name)) << name;
    EXPECT_FALSE(arms_.Read(name)) << name;
    EXPECT_FALSE(arms_.Remove(name)) << name;
    EXPECT_FALSE(arms_.Save(Arm(name), Program("bench", "abc"))) << name;
  }
  EXPECT_FALSE(CheckArmName(std::string(65, 'a')));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "arms"));
}

TEST_F(StoredArmsTest, WhatDescribesAnArmReadsBackAsItself) {
  StoredArm arm = Arm("main");
  arm.program = "bench";
  arm.sha256 = std::string(64, '0');
  arm.commit = CommitInput{std::string(40, 'a'), "v1.5-3-gabc \"quoted\""};
  arm.modified = true;
  const auto read = ParseStoredArm(FormatStoredArm(arm), "main");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, arm);
}

TEST_F(StoredArmsTest, ADescriptionThatLeadsElsewhereIsRefused) {
  StoredArm good = Arm("main");
  good.program = "bench";
  good.sha256 = std::string(64, '0');
  const auto parse = [](const StoredArm& arm) {
    return ParseStoredArm(FormatStoredArm(arm), "main");
  };
  ASSERT_TRUE(parse(good));
  for (const char* program : {"../../bench", "", "..", "a/b"}) {
    StoredArm arm = good;
    arm.program = program;
    ExpectRefused(program, parse(arm));
  }
  StoredArm arm = good;
  arm.cwd = "src";
  ExpectRefused(parse(arm));
  arm = good;
  arm.command = "'";
  ExpectRefused(parse(arm));
  ExpectRefused(ParseStoredArm("{", "main"));
}

TEST_F(StoredArmsTest, ProgramsAreFoundAsTheyWouldBeExecuted) {
  const std::string bench = Program("bench", "abc");
  EXPECT_EQ(*FindExecutable("./bench", "", dir_.path()), bench);
  EXPECT_EQ(*FindExecutable("bench", "/nowhere:" + dir_.path(), "/"), bench);
  EXPECT_EQ(*FindExecutable("bench", ":/nowhere", dir_.path()), bench);
  ExpectRefused(FindExecutable("bench", "/nowhere", "/"));
  ExpectRefused(FindExecutable("./bench", "", "/"));
  chmod(bench.c_str(), 0644);
  EXPECT_FALSE(FindExecutable("./bench", "", dir_.path()));
}

TEST_F(StoredArmsTest, InterpretersAreKnownWithTheirVersions) {
  for (const char* name : {"python3.11", "sh", "env", "perl5.36", "node"}) {
    EXPECT_TRUE(RunsItsArguments(name)) << name;
  }
  for (const char* name : {"bench", "gzip", "7", ""}) EXPECT_FALSE(RunsItsArguments(name)) << name;
}

}  // namespace
}  // namespace benchd::client
