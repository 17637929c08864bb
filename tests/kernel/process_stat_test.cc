#include "daemon/kernel/process_stat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/kernel/kernel_tree.h"

namespace benchd {
namespace {

/// proc_pid_stat(5): pid (comm) state ppid pgrp session ... flags(9) ... utime(14) stime(15) ...
/// starttime(22) ... processor(39) ...
std::string Stat(const std::string& name, const std::string& state) {
  return "42 (" + name + ") " + state +
         " 7 8 9 0 -1 4194304 100 200 3 4 150 50 7 8 20 0 1 0 98765 1000000 250 "
         "18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 3 0 0 0 0 0";
}

TEST(ProcessStatTest, ReadsThePlaceAndTheTimesOfAProcess) {
  const auto process = ParseProcess(Stat("a) Z 1 (b", "S"));
  ASSERT_TRUE(process);
  EXPECT_EQ(process->name, "a) Z 1 (b");
  EXPECT_FALSE(process->dead);
  EXPECT_EQ(process->parent, 7);
  EXPECT_EQ(process->group, 8);
  EXPECT_EQ(process->session, 9);
  EXPECT_EQ(process->busy_ticks, 200U);  // utime 150 + stime 50
  EXPECT_EQ(process->started_ticks, 98765U);
  EXPECT_EQ(process->cpu, 3);
}

TEST(ProcessStatTest, AZombieIsDead) {
  EXPECT_TRUE(ParseProcess(Stat("x", "Z"))->dead);
  EXPECT_TRUE(ParseProcess(Stat("x", "X"))->dead);
  EXPECT_FALSE(ParseProcess(Stat("Z", "T"))->dead);
}

TEST(ProcessStatTest, AnIncompleteTextIsMalformed) {
  for (const char* text : {"", "42", "42 (x", "42 x) S", ") (", "42 (x) S 1 2 3"}) {
    EXPECT_FALSE(ParseProcess(text)) << text;
  }
}

TEST(ProcessStatTest, ReadsProcessesAndThreads) {
  const KernelTree tree;
  tree.Put("proc/42/stat", Stat("first", "S"));
  tree.Put("proc/42/task/43/stat", Stat("second", "Z"));
  const KernelFiles files(tree.root());
  EXPECT_EQ(ReadProcessStat(files, "42")->name, "first");
  EXPECT_TRUE(ReadProcessStat(files, "42/task/43")->dead);
  EXPECT_FALSE(ReadProcessStat(files, "44"));
  EXPECT_EQ(ReadProcessStat(KernelFiles("/"), "self")->parent, getppid());
}

}  // namespace
}  // namespace benchd
