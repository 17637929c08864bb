#include "core/base/affinity.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <future>
#include <thread>
#include <vector>

namespace benchd {
namespace {

std::vector<int> CpusOf(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(thread, sizeof(set), &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

TEST(ConfineProcessTest, MovesEveryThreadAndNotOnlyTheCallers) {
  const std::vector<int> before = CpusOf(0);
  std::promise<void> end;
  std::promise<pid_t> tid;
  std::thread other([&end, &tid] {
    tid.set_value(::gettid());
    end.get_future().wait();
  });
  const pid_t other_tid = tid.get_future().get();
  const std::vector<int> last{before.back()};
  EXPECT_TRUE(ConfineProcess(last));
  EXPECT_EQ(CpusOf(0), last);
  EXPECT_EQ(CpusOf(other_tid), last);
  EXPECT_TRUE(ConfineProcess({})) << "nothing to do";
  EXPECT_EQ(CpusOf(0), last);
  EXPECT_TRUE(ConfineProcess(before));
  EXPECT_EQ(CpusOf(other_tid), before);
  end.set_value();
  other.join();
}

TEST(ConfineProcessTest, CpusThatAreNotThereAreAnError) {
  const std::vector<int> before = CpusOf(0);
  EXPECT_FALSE(ConfineProcess({CPU_SETSIZE - 1}));
  EXPECT_EQ(CpusOf(0), before);
}

TEST(KeptAffinityTest, IsRestored) {
  const std::vector<int> before = CpusOf(0);
  {
    const KeptAffinity kept;
    EXPECT_TRUE(SetAffinity(0, {before.back()}));
    EXPECT_EQ(CpusOf(0), std::vector<int>{before.back()});
  }
  EXPECT_EQ(CpusOf(0), before);
}

TEST(ReadAffinityTest, IsThatOfTheThread) {
  EXPECT_EQ(ReadAffinity(0).value(), CpusOf(0));
  EXPECT_EQ(ReadAffinity(1 << 30).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(SetAffinity(1 << 30, {0}).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace benchd
