#include "daemon/kernel/process_status.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/kernel/kernel_tree.h"

namespace benchd {
namespace {

TEST(ProcessStatusTest, ReadsTheRealUserAndTheTracer) {
  const KernelTree tree;
  tree.Put("proc/42/status",
           "Name:\tUid: 7\nTracerPid:\t99\nUid:\t1000\t0\t0\t0\nGid:\t1\t1\t1\t1");
  tree.Put("proc/42/task/43/status", "Name:\tx\nTracerPid:\t0\nUid:\t5\t5\t5\t5");
  const KernelFiles files(tree.root());
  EXPECT_EQ(ReadProcessStatus(files, "42").uid, 1000U);
  EXPECT_EQ(ReadProcessStatus(files, "42").tracer, 99);
  EXPECT_EQ(ReadProcessStatus(files, "42/task/43").uid, 5U);
  EXPECT_EQ(ReadProcessStatus(files, "42/task/43").tracer, 0);
}

TEST(ProcessStatusTest, FactsThatAreMissingAreZero) {
  const KernelTree tree;
  const KernelFiles files(tree.root());
  EXPECT_EQ(ReadProcessStatus(files, "42").uid, 0U);
  tree.Put("proc/42/status", "Name:\tx\nUid:\tnobody");
  EXPECT_EQ(ReadProcessStatus(files, "42").uid, 0U);
  EXPECT_EQ(ReadProcessStatus(files, "42").tracer, 0);
}

TEST(ProcessStatusTest, ReadsOurOwn) {
  EXPECT_EQ(ReadProcessStatus(KernelFiles("/"), "self").uid, getuid());
}

}  // namespace
}  // namespace benchd
