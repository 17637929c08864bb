#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "daemon/settings/cpuset.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(CStateLeaseTest, WritesTheLimitAsABinaryNumber) {
  const KernelTree tree;
  tree.Put("dev/cpu_dma_latency", "");
  const KernelFiles files(tree.root());
  ASSERT_TRUE(LimitCStates(files, 0x01020304));
  // Four bytes in native byte order, written over the line feed that was there.
  const std::int32_t latency_us = 0x01020304;
  EXPECT_EQ(*files.Read("dev/cpu_dma_latency"),
            std::string(reinterpret_cast<const char*>(&latency_us), sizeof(latency_us)));
}

TEST(CStateLeaseTest, HoldsTheLimitAsLongAsItLives) {
  const KernelTree tree;
  tree.Put("dev/null", "");
  const KernelFiles files(tree.root());
  const std::string path = files.FullPath("dev/cpu_dma_latency");
  // A pipe's reader notices when the last writer has closed it.
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const UniqueFd reader(open(path.c_str(), O_RDONLY | O_NONBLOCK));
  const auto hung_up = [&reader] {
    pollfd waited{.fd = reader.get(), .events = 0, .revents = 0};
    return poll(&waited, 1, 0) == 1 && (waited.revents & POLLHUP) != 0;
  };
  {
    auto lease = LimitCStates(files, 10);
    ASSERT_TRUE(lease) << lease.error().message;
    const UniqueFd moved = std::move(*lease);
    EXPECT_FALSE(hung_up());
  }
  EXPECT_TRUE(hung_up());
}

TEST(CStateLeaseTest, NamesTheFileThatIsNotThere) {
  const KernelTree tree;
  const auto lease = LimitCStates(KernelFiles(tree.root()), 10);
  ASSERT_FALSE(lease);
  EXPECT_WORDING(lease.error(), {{tree.root(), "ROOT"}});
  EXPECT_FALSE(std::filesystem::exists(tree.root() + "/dev/cpu_dma_latency"));
}

}  // namespace
}  // namespace benchd
