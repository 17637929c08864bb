#include "daemon/system/pinned_threads.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cpu_list.h"
#include "tests/system/kernel_tree.h"

namespace benchd {
namespace {

/// A process that only waits; killed with the object.
class Sleeper {
 public:
  Sleeper() : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) pause();
    }
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void PinTo(const cpu_set_t& cpus) const {
    ASSERT_EQ(sched_setaffinity(pid_, sizeof(cpus), &cpus), 0);
  }
  cpu_set_t Cpus() const {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    EXPECT_EQ(sched_getaffinity(pid_, sizeof(cpus), &cpus), 0);
    return cpus;
  }

 private:
  const pid_t pid_;
};

class PinnedThreadsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto online = ParseCpuList(*files_.Read("sys/devices/system/cpu/online"));
    ASSERT_TRUE(online);
    for (const int cpu : *online) CPU_SET(cpu, &all_);
    CPU_SET(online->front(), &first_);
    // Children inherit it.
    cpu_set_t own;
    if (online->size() < 2 || sched_setaffinity(0, sizeof(all_), &all_) != 0 ||
        sched_getaffinity(0, sizeof(own), &own) != 0 || !CPU_EQUAL(&own, &all_)) {
      GTEST_SKIP() << "there is one CPU, or not every one may be used here";
    }
  }

  KernelFiles files_{"/"};
  cpu_set_t all_{};
  cpu_set_t first_{};
};

TEST_F(PinnedThreadsTest, PinsAgainWhoLostIt) {
  const Sleeper pinned;
  const Sleeper free;
  pinned.PinTo(first_);
  PinnedThreads threads;
  threads.Remember(files_);
  pinned.PinTo(all_);  // what an old kernel does to it
  threads.PutBack(files_);
  const cpu_set_t now = pinned.Cpus();
  EXPECT_TRUE(CPU_EQUAL(&now, &first_));
  const cpu_set_t others = free.Cpus();
  EXPECT_TRUE(CPU_EQUAL(&others, &all_));
}

TEST_F(PinnedThreadsTest, LeavesWhoWasPinnedElsewhereMeanwhile) {
  const Sleeper pinned;
  pinned.PinTo(first_);
  PinnedThreads threads;
  threads.Remember(files_);
  cpu_set_t others = all_;
  CPU_XOR(&others, &all_, &first_);
  pinned.PinTo(others);
  threads.PutBack(files_);
  const cpu_set_t now = pinned.Cpus();
  EXPECT_TRUE(CPU_EQUAL(&now, &others));
}

TEST_F(PinnedThreadsTest, TouchesNobodyBelowAnotherRoot) {
  const KernelTree tree;
  tree.Put("sys/devices/system/cpu/online", "0-1");
  const Sleeper pinned;
  pinned.PinTo(first_);
  PinnedThreads threads;
  threads.Remember(KernelFiles(tree.root()));
  pinned.PinTo(all_);
  threads.PutBack(files_);
  const cpu_set_t now = pinned.Cpus();
  EXPECT_TRUE(CPU_EQUAL(&now, &all_));
}

}  // namespace
}  // namespace benchd
