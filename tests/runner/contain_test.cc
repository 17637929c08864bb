// Malicious programs (tests/e2e/programs/hostile.cc), and the limits of [children].

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "tests/runner/runner_process.h"
#include "tests/support/places.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

std::string HostileProgram() { return test::BuiltFile("tests/e2e/programs/hostile"); }

/// Every process that executes this file.
std::set<std::string> ProcessesOf(const std::string& program) {
  std::set<std::string> found;
  DIR* const listing = opendir("/proc");
  while (const dirent* entry = readdir(listing)) {
    const std::string pid = entry->d_name;
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    const auto executed = std::filesystem::read_symlink("/proc/" + pid + "/exe", gone);
    if (!gone && executed == program) found.insert(pid);
  }
  closedir(listing);
  return found;
}

/// As root there may be control groups. As nobody there are none, and the tree is found through its
/// parents.
class ContainTest : public testing::TestWithParam<RunnerIds> {
 protected:
  void SetUp() override {
    if (auto why = CannotStartAs(GetParam()); !why.empty()) GTEST_SKIP() << why;
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
    // At a path that the user nobody can reach.
    program_ = folder_ / "hostile";
    std::filesystem::copy_file(HostileProgram(), program_);
    StartWith("");
  }
  void TearDown() override {
    if (!runner_) return;
    EXPECT_TRUE(ProcessesOf(program_).empty()) << "left behind";
    const auto next = runner_->Run(As(ScriptOf("exit 7")));
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->exit.code, 7) << "the next run is unaffected";
    EXPECT_EQ(next->limit, "");
    EXPECT_EQ(runner_->Close(), 0);
  }

  void StartWith(const std::string& children) {
    std::vector<std::string> options{"--config",
                                     folder_.Put("benchd.toml", "[children]\n" + children)};
    runner_ = std::make_unique<RunnerProcess>(GetParam(), nullptr, options);
  }
  ChildSpec As(ChildSpec child) const {
    if (GetParam() == RunnerIds::kNobody) child.caller = NobodyCaller();
    return child;
  }
  ChildSpec Hostile(std::vector<std::string> words) const {
    words.insert(words.begin(), program_);
    return As(ChildOf(std::move(words)));
  }
  Result<wire::RunFigures> Run(std::vector<std::string> words,
                               std::int64_t timeout_ns = 60'000 * kMillisecond) {
    ChildSpec child = Hostile(std::move(words));
    child.output = OutputKind::kLog;
    return runner_->Run(std::move(child), timeout_ns);
  }

  const TempFolder folder_;
  std::string program_;
  std::unique_ptr<RunnerProcess> runner_;
};

TEST_P(ContainTest, AForkBombEndsWithItsTimeout) {
  const auto figures = Run({"fork-bomb", "400"}, 500 * kMillisecond);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.timed_out);
}

TEST_P(ContainTest, AForkBombThatIsLeftBehindEndsWithTheRun) {
  const auto figures = Run({"fork-bomb-left", "400"});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.Succeeded());
}

TEST_P(ContainTest, AChainOfDaemonsIsCaught) {
  const auto figures = Run({"chain", "2000"});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->output, "n 1000\n");
}

TEST_P(ContainTest, WhatIsLeftInTheBackgroundEnds) {
  for (const char* deed : {"daemonize", "leave-children", "namespaces", "close-all"}) {
    const auto figures = Run({deed});
    ASSERT_TRUE(figures) << figures.error().message;
    EXPECT_TRUE(figures->exit.Succeeded()) << deed;
    EXPECT_EQ(figures->output, "n 1000\n") << deed;
    EXPECT_TRUE(ProcessesOf(program_).empty()) << deed;
  }
}

TEST_P(ContainTest, OneThatDoesNotListenEnds) {
  for (const char* deed : {"ignore-signals", "stop"}) {
    const auto figures = Run({deed}, 1000 * kMillisecond);
    ASSERT_TRUE(figures) << figures.error().message;
    EXPECT_TRUE(figures->exit.timed_out) << deed;
    EXPECT_TRUE(ProcessesOf(program_).empty()) << deed;
  }
}

TEST_P(ContainTest, ALimitOfProcessesHoldsAndIsNamed) {
  StartWith("pids = 20\n");
  const auto figures = Run({"count-forks", "100"});
  ASSERT_TRUE(figures) << figures.error().message;
  if (GetParam() == RunnerIds::kOwn && figures->output == "n 2000\n") {
    GTEST_SKIP() << "nothing counts processes here";
  }
  EXPECT_EQ(figures->output, "n 1000\n");
  // Without a control group, the kernel counts all processes of the user and does not report which
  // run reached the limit.
  if (GetParam() == RunnerIds::kOwn) {
    EXPECT_NE(figures->limit.find("20 processes"), std::string::npos) << figures->limit;
  } else {
    EXPECT_EQ(figures->limit, "");
  }
}

TEST_P(ContainTest, LimitsOfEachProcessHold) {
  StartWith("open_files = 16\nfile_size_mib = 1\ncore_mib = 0\ncpu_seconds = 1\n");
  auto figures = Run({"open-files", "100"});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->exit.code, 3);
  EXPECT_EQ(figures->stderr_tail, "open: Too many open files\n");

  figures = Run({"fill-disk", folder_ / "large", "4"});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->exit.signal, SIGXFSZ);

  figures = Run({"spin"});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->exit.signal, SIGXCPU);
}

TEST_P(ContainTest, LimitsOfTheCallerAreOnlyLowered) {
  StartWith("open_files = 4096\ncpu_seconds = 3000\n");
  ChildSpec child = As(ScriptOf("ulimit -Sn; ulimit -Hn; ulimit -St; ulimit -Ht"));
  child.caller.limits = {{.resource = RLIMIT_NOFILE, .soft = 100, .hard = 200},
                         {.resource = RLIMIT_CPU, .soft = 9000, .hard = 9001}};
  EXPECT_EQ(runner_->OutputOf(child), "100\n200\n3000\n3001\n");
  StartWith("open_files = 50\n");
  EXPECT_EQ(runner_->OutputOf(child), "50\n50\n9000\n9001\n");
}

TEST_P(ContainTest, AnEndlessOutputIsReadToItsTimeout) {
  auto figures = Run({"fill-stdout", "1000000"}, 300 * kMillisecond);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.timed_out);
  EXPECT_EQ(figures->output.size(), 1024U * 1024U);
  const std::size_t cut = figures->output.rfind('[');
  ASSERT_NE(cut, std::string::npos);
  EXPECT_WORDING("the log ends with " + figures->output.substr(cut));
  figures = Run({"fill-stderr", "1000000"}, 300 * kMillisecond);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.timed_out);
  EXPECT_LE(figures->stderr_tail.size(), 4096U);
}

TEST_P(ContainTest, OneThatTakesAllCpusEndsWithItsChildren) {
  const auto figures = Run({"hog", "8"});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.Succeeded());
}

INSTANTIATE_TEST_SUITE_P(Ids, ContainTest, testing::Values(RunnerIds::kOwn, RunnerIds::kNobody),
                         [](const testing::TestParamInfo<RunnerIds>& instance) {
                           return instance.param == RunnerIds::kOwn ? "AsMyself" : "AsNobody";
                         });

class MemoryLimitTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root has control groups here";
    runner_ = std::make_unique<RunnerProcess>(
        RunnerIds::kOwn, nullptr,
        std::vector<std::string>{"--config",
                                 folder_.Put("benchd.toml", "[children]\nmemory_mib = 64\n")});
    runner_->Send(wire::AcquireMachine{{.profile = "default"}});
    const auto machine = runner_->Await<Result<MachineReport>>();
    ASSERT_TRUE(machine) << machine.error().message;
    for (const SettingState& state : machine->isolation) {
      if (state.setting != "memory_limit") continue;
      EXPECT_EQ(state.wanted, "67108864 bytes");
      held_ = state.held;
    }
    if (!held_) GTEST_SKIP() << "nothing counts memory here";
  }

  const TempFolder folder_;
  std::unique_ptr<RunnerProcess> runner_;
  bool held_ = false;
};

TEST_F(MemoryLimitTest, WhoTakesMoreIsKilledAndItIsSaid) {
  for (const char* deed : {"allocate", "allocate-together"}) {
    const auto figures =
        runner_->Run(ChildOf({HostileProgram(), deed, "200"}), 2'000 * kMillisecond);
    ASSERT_TRUE(figures) << figures.error().message;
    EXPECT_EQ(figures->exit.signal, SIGKILL) << deed;
    EXPECT_NE(figures->limit.find("64 MiB"), std::string::npos) << deed << ": " << figures->limit;
  }
  const auto figures = runner_->Run(ChildOf({HostileProgram(), "allocate", "20"}));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_TRUE(figures->exit.Succeeded());
  EXPECT_EQ(figures->limit, "");
}

TEST(LimitWarningTest, ARunThatSucceededAtItsLimitIsWarnedOf) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has control groups here";
  const TempFolder folder;
  RunnerProcess runner(RunnerIds::kOwn, nullptr,
                       {"--config", folder.Put("benchd.toml", "[children]\npids = 20\n")});
  runner.Send(wire::AcquireMachine{{.profile = "default"}});
  ASSERT_TRUE(runner.Await<Result<MachineReport>>());
  for (int run = 0; run < 2; ++run) {
    const auto figures = runner.Run(ChildOf({HostileProgram(), "count-forks", "100"}));
    ASSERT_TRUE(figures) << figures.error().message;
    if (figures->limit.empty()) GTEST_SKIP() << "nothing counts processes here";
  }
  runner.Send(wire::ReleaseMachine{});
  const MachineEnd end = runner.Await<MachineEnd>();
  ASSERT_FALSE(end.warnings.empty());
  EXPECT_EQ(end.warnings.back().code, "limit_reached");
  const std::string& message = end.warnings.back().message;
  EXPECT_NE(message.find("2 runs"), std::string::npos) << message;
  EXPECT_NE(message.find("20 processes"), std::string::npos) << message;
}

}  // namespace
}  // namespace benchd
