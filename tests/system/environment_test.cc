#include "daemon/system/environment.h"

#include <gtest/gtest.h>

#include "tests/system/kernel_tree.h"

namespace benchd {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

TEST(EnvironmentTest, ReadsTheFactsInTheirOrder) {
  KernelTree tree;
  tree.Put("proc/sys/kernel/osrelease", "6.1.0-18-amd64");
  tree.Put("proc/cmdline", "BOOT_IMAGE=/vmlinuz quiet");
  tree.Put("proc/cpuinfo",
           "processor\t: 0\nmodel\t\t: 2\nmodel name\t: Some CPU\n\nprocessor\t: 1");
  tree.Put("sys/devices/system/cpu/online", "0-1");
  tree.Put("proc/meminfo", "MemTotal:       16318564 kB\nMemFree: 1 kB");
  tree.Put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
  tree.Put("proc/loadavg", "0.50 0.40 0.30 1/200 4711");
  tree.Put("proc/sys/kernel/random/boot_id", "b0b0");
  EXPECT_EQ(ReadEnvironment(KernelFiles(tree.root())).facts,
            (Facts{{"kernel", "6.1.0-18-amd64"},
                   {"kernel_command_line", "BOOT_IMAGE=/vmlinuz quiet"},
                   {"cpu", "Some CPU"},
                   {"cpus", "0-1"},
                   {"memory_bytes", "16710209536"},  // 16318564 * 1024
                   {"clocksource", "tsc"},
                   {"load", "0.50"},
                   {"boot_id", "b0b0"}}));
}

TEST(EnvironmentTest, LeavesOutWhatCannotBeRead) {
  KernelTree tree;
  tree.Put("proc/meminfo", "nothing here");
  tree.Put("proc/loadavg", "1.25");
  EXPECT_EQ(ReadEnvironment(KernelFiles(tree.root())).facts, (Facts{{"load", "1.25"}}));
}

}  // namespace
}  // namespace benchd
