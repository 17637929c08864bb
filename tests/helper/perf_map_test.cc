#include "daemon/helper/perf_map.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

std::string NameIn(const PerfMap& map, std::uint64_t address) {
  return map.NameAt(address).value_or("-");
}

TEST(PerfMapTest, FindsTheFunctionAtAnAddress) {
  const PerfMap map = PerfMap::Parse("1000 20 first\n0x2000 0x10 second one\n");
  EXPECT_EQ(NameIn(map, 0x1000), "first");
  EXPECT_EQ(NameIn(map, 0x101f), "first");
  EXPECT_EQ(NameIn(map, 0x1020), "-");
  EXPECT_EQ(NameIn(map, 0x200f), "second one");
  EXPECT_EQ(NameIn(map, 0), "-");
}

TEST(PerfMapTest, TheLastEntryCountsWhereMemoryWasReused) {
  const PerfMap map = PerfMap::Parse("1000 100 old\n1010 10 inner\n1000 8 new\n1018 20 last\n");
  EXPECT_EQ(NameIn(map, 0x1000), "new");
  EXPECT_EQ(NameIn(map, 0x1008), "old");
  EXPECT_EQ(NameIn(map, 0x1012), "inner");
  EXPECT_EQ(NameIn(map, 0x1019), "last");
  EXPECT_EQ(NameIn(map, 0x1050), "old");
}

TEST(PerfMapTest, ShowsTheFilesOfPythonAndV8WithoutFolders) {
  const PerfMap map = PerfMap::Parse(
      "1000 10 py::work:/home/a/demo.py\n2000 10 py::<module>:<frozen runpy>\n"
      "3000 10 JS:*fib /home/a/demo.js:1:13\n4000 10 py::odd\n5000 10 Builtin:ArrayMap\n");
  EXPECT_EQ(NameIn(map, 0x1000), "py::work (demo.py)");
  EXPECT_EQ(NameIn(map, 0x2000), "py::<module> (<frozen runpy>)");
  EXPECT_EQ(NameIn(map, 0x3000), "JS:*fib (demo.js:1:13)");
  EXPECT_EQ(NameIn(map, 0x4000), "py::odd");
  EXPECT_EQ(NameIn(map, 0x5000), "Builtin:ArrayMap");
}

TEST(PerfMapTest, SkipsLinesThatAreNoEntries) {
  const PerfMap map = PerfMap::Parse(
      "\n1000\n1000 10\n1000 10 \nx 10 a\n1000 x a\n1000 -1 a\n11112222333344445 10 a\n"
      "1000 ffffffffffffffff huge\n");
  EXPECT_EQ(NameIn(map, 0x1000), "huge");
  EXPECT_EQ(NameIn(PerfMap::Parse(""), 0x1000), "-");
}

class PerfMapFileTest : public testing::Test {
 protected:
  std::string NameInFile(const std::string& path, uid_t owner = geteuid()) {
    return NameIn(PerfMap::ReadFile(path, owner, budget_), 0x1000);
  }
  TempFolder folder_;
  ReadBudget budget_{std::uint64_t{1} << 30U};
};

TEST_F(PerfMapFileTest, ReadsTheWholeLinesOfAFile) {
  EXPECT_EQ(NameInFile(folder_.Put("a.map", "1000 10 a\n1000 10 b")), "a");
  EXPECT_EQ(NameInFile(folder_.Put("b.map", "1000 10 a")), "-");
  EXPECT_EQ(NameInFile(folder_ / "nosuch.map"), "-");
}

TEST_F(PerfMapFileTest, ReadsNoFileOfAnotherUserNoLinkAndNoFifo) {
  const std::string path = folder_.Put("a.map", "1000 10 a\n");
  EXPECT_EQ(NameInFile(path, geteuid() + 1), "-");
  std::filesystem::create_symlink(path, folder_ / "link.map");
  EXPECT_EQ(NameInFile(folder_ / "link.map"), "-");
  ASSERT_EQ(mkfifo((folder_ / "fifo.map").c_str(), 0600), 0);
  EXPECT_EQ(NameInFile(folder_ / "fifo.map"), "-");
  EXPECT_EQ(NameInFile(folder_.path()), "-");
}

TEST_F(PerfMapFileTest, ReadsTheBeginningOfAHugeFile) {
  const std::string path = folder_.Put("a.map", "1000 10 a\n");
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 30), 0);
  EXPECT_EQ(NameInFile(path), "a");
  budget_ = ReadBudget(1000);
  EXPECT_EQ(NameInFile(path), "-");
}

}  // namespace
}  // namespace benchd
