#include "daemon/helper/stack_unwinder.h"

#include <asm/perf_regs.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/helper/profile.h"
#include "tests/helper/profile_stream_builder.h"
#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

/// A state of this thread, as the kernel records it.
struct RecordedState {
  std::vector<std::uint64_t> registers;
  std::uint64_t pc = 0;
  std::string stack;
  const char* stack_end = nullptr;
};

#if defined(__x86_64__)
constexpr std::uint64_t kRegisterMask = 0xff01ff;  // AX to IP, R8 to R15
std::vector<std::uint64_t> RegistersOfContext(const ucontext_t& context) {
  const auto at = [&](int number) {
    return static_cast<std::uint64_t>(context.uc_mcontext.gregs[number]);
  };
  return {at(REG_RAX), at(REG_RBX), at(REG_RCX), at(REG_RDX), at(REG_RSI), at(REG_RDI),
          at(REG_RBP), at(REG_RSP), at(REG_RIP), at(REG_R8),  at(REG_R9),  at(REG_R10),
          at(REG_R11), at(REG_R12), at(REG_R13), at(REG_R14), at(REG_R15)};
}
std::uint64_t ProgramCounterOf(const ucontext_t& context) {
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
}
std::uint64_t StackPointerOf(const ucontext_t& context) {
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
}
#elif defined(__aarch64__)
constexpr std::uint64_t kRegisterMask = (std::uint64_t{1} << 33U) - 1;
std::vector<std::uint64_t> RegistersOfContext(const ucontext_t& context) {
  std::vector<std::uint64_t> registers(std::begin(context.uc_mcontext.regs),
                                       std::end(context.uc_mcontext.regs));
  registers.push_back(context.uc_mcontext.sp);
  registers.push_back(context.uc_mcontext.pc);
  return registers;
}
std::uint64_t ProgramCounterOf(const ucontext_t& context) { return context.uc_mcontext.pc; }
std::uint64_t StackPointerOf(const ucontext_t& context) { return context.uc_mcontext.sp; }
#endif

RecordedState recorded;  // NOLINT: signal handlers have no other way

/// The end of the memory of this thread's stack.
const char* StackEnd() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return static_cast<const char*>(begin) + bytes;
}

/// Records the state that a signal interrupted.
__attribute__((no_sanitize("address"))) void RecordSignal(int, siginfo_t*, void* opaque) {
  const auto& context = *static_cast<const ucontext_t*>(opaque);
  recorded.registers = RegistersOfContext(context);
  recorded.pc = ProgramCounterOf(context);
  // The kernel copies at most as much as there is.
  const auto* const top = reinterpret_cast<const char*>(StackPointerOf(context));  // NOLINT
  const auto all = static_cast<std::size_t>(recorded.stack_end - top);
  std::string copy(std::min<std::size_t>(wire::kProfileStackBytes, all), '\0');
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = top[i];
  recorded.stack = copy;
}

__attribute__((noinline)) int InnermostOfThree(int n) {
  raise(SIGUSR1);
  return n + 1;
}
__attribute__((noinline)) int MiddleOfThree(int n) { return InnermostOfThree(n) * 3; }
__attribute__((noinline)) int OutermostOfThree(int n) { return MiddleOfThree(n) * 5; }

/// All code that is mapped in this process, as records.
void MapThisProcess(test::ProfileStreamBuilder& stream) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream words(line);
    std::string range;
    std::string mode;
    std::string offset;
    std::string device;
    std::uint64_t inode = 0;
    std::string path;
    words >> range >> mode >> offset >> device >> inode >> path;
    if (mode.find('x') == std::string::npos || path.empty()) continue;
    const std::size_t dash = range.find('-');
    const std::uint64_t start = std::stoull(range.substr(0, dash), nullptr, 16);
    stream.Map(1, {.start = start,
                   .bytes = std::stoull(range.substr(dash + 1), nullptr, 16) - start,
                   .file_offset = std::stoull(offset, nullptr, 16),
                   .path = path,
                   .inode = inode});
  }
}

class StackUnwinderTest : public testing::Test {
 protected:
  void SetUp() override {
    struct sigaction action {};
    action.sa_sigaction = RecordSignal;
    action.sa_flags = SA_SIGINFO;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before_), 0);
    recorded.stack_end = StackEnd();
    OutermostOfThree(1);
    stream_.WithState(kRegisterMask);
    MapThisProcess(stream_);
  }
  void TearDown() override { sigaction(SIGUSR1, &before_, nullptr); }

  /// The folded stack of the recorded state.
  std::string Folded() {
    stream_.SampleWithState(2, 100, recorded.pc, recorded.registers, recorded.stack);
    const auto samples = FoldProfile(stream_.Build(), {});
    EXPECT_TRUE(samples) << samples.error().message;
    if (!samples || samples->size() != 1) return "";
    return samples->front().inner_benchmark;
  }

  struct sigaction before_ {};
  test::ProfileStreamBuilder stream_;
};

TEST_F(StackUnwinderTest, FindsTheCallersOfAFunctionInTheCopyOfItsStack) {
  const std::string stack = Folded();
  std::size_t at = 0;
  for (const char* function :
       {"OutermostOfThree(int)", "MiddleOfThree(int)", "InnermostOfThree(int)", "raise"}) {
    const std::size_t next = stack.find(function, at);
    ASSERT_NE(next, stack.npos) << function << " in " << stack;
    at = next;
  }
}

TEST_F(StackUnwinderTest, CallersBeyondTheCopyAreUnknown) {
  recorded.stack.resize(16);
  EXPECT_TRUE(Folded().starts_with("[unknown];")) << Folded();
}

TEST_F(StackUnwinderTest, AStackOfRandomBytesEndsSomewhere) {
  for (char byte = 0; byte < 100; ++byte) {
    std::fill(recorded.stack.begin(), recorded.stack.end(), byte);
    for (std::uint64_t& value : recorded.registers) value += static_cast<std::uint64_t>(byte) * 8;
    stream_.SampleWithState(2, 100, recorded.pc, recorded.registers, recorded.stack);
  }
  EXPECT_TRUE(FoldProfile(stream_.Build(), {}));
}

TEST_F(StackUnwinderTest, WithoutRegistersTheChainOfTheKernelCounts) {
  stream_ = {};
  stream_.Map(1, {.start = 0x1000, .path = "/nosuch/a"});
  stream_.Sample(2, 100, {0x1010, 0x1021});
  const auto samples = FoldProfile(stream_.Build(), {});
  ASSERT_TRUE(samples);
  ASSERT_EQ(samples->size(), 1U);
  EXPECT_EQ(samples->front().inner_benchmark, "[a+0x20];[a+0x10]");
}

TEST(UnwindTableTest, ReadsOnlyWhatWasCopied) {
  const std::string bytes(16, '\1');
  const StackCopy stack{1000, bytes};
  EXPECT_EQ(stack.Read(1000), 0x0101010101010101U);
  EXPECT_EQ(stack.Read(1008), 0x0101010101010101U);
  EXPECT_FALSE(stack.Read(1009));
  EXPECT_FALSE(stack.Read(999));
  EXPECT_FALSE(stack.Read(~std::uint64_t{0}));
  EXPECT_FALSE((StackCopy{1000, "short"}.Read(1000)));
}

}  // namespace
}  // namespace benchd
