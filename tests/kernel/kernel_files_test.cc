#include "daemon/kernel/kernel_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/kernel_tree.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class KernelFilesTest : public testing::Test {
 protected:
  KernelTree tree_;
  KernelFiles files_{tree_.root()};
};

TEST_F(KernelFilesTest, ReadsAWholeFileWithoutTheWhiteSpaceAtItsEnd) {
  tree_.Put("proc/some", " a b\t\nc \t\n");
  EXPECT_EQ(*files_.Read("proc/some"), " a b\t\nc");
}

TEST_F(KernelFilesTest, ReadsAMebibyteAtMost) {
  tree_.Put("proc/interrupts", std::string(300'000, 'x'));
  EXPECT_EQ(files_.Read("proc/interrupts")->size(), 300'000U);
  tree_.Put("proc/endless", std::string(3'000'000, 'x'));
  EXPECT_LE(files_.Read("proc/endless")->size(), 1024U * 1024U + 4096U);
}

TEST_F(KernelFilesTest, AWriteReplacesWhatTheFileHeld) {
  tree_.Put("sys/governor", "performance");
  ASSERT_TRUE(files_.Write("sys/governor", "ondemand"));
  EXPECT_EQ(tree_.Get("sys/governor"), "ondemand");
}

TEST_F(KernelFilesTest, AWriteNeverMakesAFile) {
  const auto written = files_.Write("sys/nothing", "1");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(written.error(), {{tree_.root(), "ROOT"}});
  EXPECT_TRUE(tree_.Contents().empty());
}

TEST_F(KernelFilesTest, TellsThePathAndTheReasonOfARefusedWrite) {
  std::filesystem::create_directories(tree_.root() + "/sys/folder");
  const auto written = files_.Write("sys/folder", "1");
  ASSERT_FALSE(written);
  EXPECT_WORDING(written.error(), {{tree_.root(), "ROOT"}});
}

TEST_F(KernelFilesTest, ListsNamesInOrder) {
  tree_.Put("proc/irq/9/smp_affinity_list", "0");
  tree_.Put("proc/irq/10/smp_affinity_list", "0");
  tree_.Put("proc/irq/default_smp_affinity", "1");
  EXPECT_EQ(files_.List("proc/irq"), (std::vector<std::string>{"10", "9", "default_smp_affinity"}));
  EXPECT_TRUE(files_.List("proc/nowhere").empty());
  EXPECT_TRUE(files_.List("proc/irq/default_smp_affinity").empty());
}

TEST_F(KernelFilesTest, KnowsWhatIsThere) {
  tree_.Put("proc/irq/9/smp_affinity_list", "0");
  EXPECT_TRUE(files_.Exists("proc/irq"));
  EXPECT_TRUE(files_.Exists("proc/irq/9/smp_affinity_list"));
  EXPECT_FALSE(files_.Exists("proc/irq/8"));
}

TEST_F(KernelFilesTest, OnlyTheMachinesOwnFilesAreReal) {
  EXPECT_FALSE(files_.IsReal());
  EXPECT_TRUE(KernelFiles("/").IsReal());
  EXPECT_EQ(files_.FullPath("proc/stat"), tree_.root() + "/proc/stat");
  EXPECT_EQ(KernelFiles("/").FullPath("proc/stat"), "/proc/stat");
}

}  // namespace
}  // namespace benchd
