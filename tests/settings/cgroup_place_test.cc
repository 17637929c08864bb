#include <gtest/gtest.h>

#include "daemon/settings/cpuset.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr const char* kPlaceMount = "sys/fs/cgroup";
constexpr const char* kPlaceUnified =
    "31 1 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";
constexpr const char* kPlaceGroup = "0::/bench.slice/benchd-runner.service";

class CgroupPlaceTest : public testing::Test {
 protected:
  CgroupPlace Find(const std::string& mountinfo, const std::string& cgroup) const {
    tree_.Put("proc/self/mountinfo", mountinfo);
    tree_.Put("proc/self/cgroup", cgroup);
    const auto place = FindCgroupPlace(KernelFiles(tree_.root()));
    EXPECT_TRUE(place) << place.error().message;
    return place ? *place : CgroupPlace{};
  }
  KernelTree tree_;
};

TEST_F(CgroupPlaceTest, IsTheTopLevelUnit) {
  EXPECT_EQ(Find(kPlaceUnified, kPlaceGroup), (CgroupPlace{kPlaceMount, "bench.slice", ""}));
  EXPECT_EQ(Find(kPlaceUnified, "0::/bench.slice/benchd-runner.service/runner"),
            (CgroupPlace{kPlaceMount, "bench.slice", ""}));
}

TEST_F(CgroupPlaceTest, HasNoUnitInTheTopGroupAndInAContainer) {
  EXPECT_EQ(Find(kPlaceUnified, "0::/"), (CgroupPlace{kPlaceMount, "", ""}));
  EXPECT_EQ(Find("31 1 0:28 /docker/1f3a /sys/fs/cgroup rw - cgroup2 cgroup rw",
                 "0::/docker/1f3a/bench.slice"),
            (CgroupPlace{kPlaceMount, "", ""}));
}

TEST_F(CgroupPlaceTest, SaysWhoseTheControllerIsOnAHybridMachine) {
  const CgroupPlace place = Find(
      "35 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
      "5:cpuset:/\n0::/bench.slice/benchd-runner.service");
  EXPECT_EQ(place.mount, "sys/fs/cgroup/unified");
  EXPECT_EQ(place.unit, "bench.slice");
  EXPECT_WORDING(place.version1);
}

TEST_F(CgroupPlaceTest, IsEmptyWithoutControlGroups) {
  EXPECT_EQ(Find("22 1 0:21 / /proc rw - proc proc rw", ""), CgroupPlace{});
  const KernelTree nothing;
  EXPECT_FALSE(FindCgroupPlace(KernelFiles(nothing.root())));
}

}  // namespace
}  // namespace benchd
