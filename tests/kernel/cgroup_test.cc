#include "daemon/kernel/cgroup.h"

#include <gtest/gtest.h>

#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::string_view kUnified =
    "22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
    "31 1 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr std::string_view kHybrid =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

TEST(CgroupMountTest, IsFoundOnAUnifiedAndOnAHybridMachine) {
  EXPECT_EQ(*FindCgroup2Mount(kUnified), (CgroupMount{"/sys/fs/cgroup", "/"}));
  EXPECT_EQ(*FindCgroup2Mount(kHybrid), (CgroupMount{"/sys/fs/cgroup/unified", "/"}));
}

TEST(CgroupMountTest, IsFoundBehindBlanksInItsName) {
  EXPECT_EQ(*FindCgroup2Mount("41 31 0:38 /a\\040b /mnt/c\\134d rw - cgroup2 cgroup2 rw"),
            (CgroupMount{"/mnt/c\\d", "/a b"}));
}

TEST(CgroupMountTest, IsMissingOnAnOldMachineAndInGarbage) {
  EXPECT_EQ(
      FindCgroup2Mount("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu").error().code,
      ErrorCode::kNotFound);
  EXPECT_FALSE(FindCgroup2Mount(""));
  EXPECT_FALSE(FindCgroup2Mount("\n - \n - cgroup2x y\n"));
}

TEST(OwnCgroupTest, IsTheFolderOfTheUnifiedLine) {
  const CgroupMount mount{"/sys/fs/cgroup", "/"};
  EXPECT_EQ(*OwnCgroupFolder(mount, "0::/bench.slice/benchd-runner.service"),
            "/sys/fs/cgroup/bench.slice/benchd-runner.service");
  EXPECT_EQ(*OwnCgroupFolder(mount, "9:name=systemd:/x\n0::/\n"), "/sys/fs/cgroup");
  EXPECT_FALSE(OwnCgroupFolder(mount, "9:name=systemd:/x\n"));
}

TEST(OwnCgroupTest, FollowsAMountThatShowsOnlyAPart) {
  const CgroupMount mount{"/mnt", "/a"};
  EXPECT_EQ(*OwnCgroupFolder(mount, "0::/a/b"), "/mnt/b");
  EXPECT_EQ(*OwnCgroupFolder(mount, "0::/a"), "/mnt");
  EXPECT_FALSE(OwnCgroupFolder(mount, "0::/ab"));
  EXPECT_FALSE(OwnCgroupFolder(mount, "0::/"));
}

TEST(WhyVersion1Test, NamesTheControllerAndWhatToDo) {
  constexpr std::string_view kVersionOne =
      "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "33 31 0:30 /docker/1f /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
      "34 31 0:31 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n";
  EXPECT_WORDING(WhyVersion1(kVersionOne, "pids"));
  EXPECT_NE(WhyVersion1(kHybrid, "cpu"), "");
  EXPECT_EQ(WhyVersion1(kVersionOne, "memory"), "");
  EXPECT_EQ(WhyVersion1(kVersionOne, "pid"), "") << "a whole word";
  EXPECT_EQ(WhyVersion1(kUnified, "cpuset"), "");
  EXPECT_EQ(WhyVersion1("garbage\n - cgroup\n", "cpuset"), "");
}

TEST(FolderOfUnitTest, IsTheSameForTheUnitsControlProcesses) {
  const std::string unit = "/sys/fs/cgroup/bench.slice/benchd-runner.service";
  EXPECT_EQ(FolderOfUnit(unit), unit);
  EXPECT_EQ(FolderOfUnit(unit + "/.control"), unit);
  EXPECT_EQ(FolderOfUnit(""), "");
}

}  // namespace
}  // namespace benchd
