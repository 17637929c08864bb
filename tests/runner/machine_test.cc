// The machine's settings through the real program, below a root of the test's own: applied for a
// session, and restored however the session ends.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr const char* kWatchdog = "proc/sys/kernel/nmi_watchdog";
constexpr const char* kTimers = "proc/sys/kernel/timer_migration";
constexpr const char* kBoost = "sys/devices/system/cpu/cpufreq/boost";
constexpr const char* kBootId = "proc/sys/kernel/random/boot_id";

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    Put("sys/devices/system/cpu/online", ReadFile("/sys/devices/system/cpu/online"));
    Put(kWatchdog, "1\n");
    Put(kTimers, "1\n");
    Put(kBoost, "1\n");
    Put(kBootId, "6f0c2a54-9b1e-4b7e-8f0c-3d2a1b0c9d8e\n");
  }

  void Put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ / name).parent_path());
    root_.Put(name, text);
  }
  std::string Read(const char* name) const {
    const std::string text = ReadFile(root_ / name);
    return text.substr(0, text.find('\n'));
  }
  std::string Now() const { return Read(kWatchdog) + Read(kTimers) + Read(kBoost); }

  std::vector<std::string> Options() const {
    return {"--journal", journal_, "--sysfs-root", root_.path()};
  }
  std::unique_ptr<RunnerProcess> Start() const {
    return std::make_unique<RunnerProcess>(RunnerIds::kOwn, nullptr, Options());
  }
  static Result<MachineReport> Acquire(RunnerProcess& runner) {
    runner.Send(wire::AcquireMachine{{.profile = "default"}});
    return runner.Await<Result<MachineReport>>();
  }

  static SettingState WatchdogOf(const MachineReport& report) {
    for (const SettingState& state : report.isolation) {
      if (state.setting == "nmi_watchdog") return state;
    }
    ADD_FAILURE() << "the report does not contain it";
    return {};
  }

  /// What `benchd-runner --restore` prints, both streams, and its exit code as the last line.
  std::string Restore() const {
    const std::string command = RunnerPath() + " --restore --journal " + journal_ +
                                " --sysfs-root " + root_.path() + " 2>&1; echo $?";
    FILE* const output = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 512> line{};
    while (fgets(line.data(), line.size(), output) != nullptr) text += line.data();
    pclose(output);
    return text;
  }

  static constexpr const char* kBefore = "111";
  static constexpr const char* kTaken = "000";

  TempFolder root_;
  TempFolder own_;
  const std::string journal_ = own_ / "journal";
};

TEST_F(MachineTest, TakesForASessionAndGivesBackAtItsEnd) {
  auto runner = Start();
  const auto report = Acquire(*runner);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Now(), kTaken);
  runner->Send(wire::ReleaseMachine{});
  const auto released = runner->Await<MachineEnd>();
  EXPECT_EQ(released.at_end.size(), report->isolation.size());
  EXPECT_EQ(Now(), kBefore);
  EXPECT_EQ(ReadFile(journal_), "");
}

TEST_F(MachineTest, GivesBackWhenBenchdGoes) {
  auto runner = Start();
  ASSERT_TRUE(Acquire(*runner));
  EXPECT_EQ(runner->Close(), 0);
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineTest, GivesBackWhenItIsToldToEnd) {
  auto runner = Start();
  ASSERT_TRUE(Acquire(*runner));
  ASSERT_EQ(kill(runner->pid(), SIGTERM), 0);
  EXPECT_EQ(runner->Close(), 0);
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineTest, AKilledOnesSettingsArePutBackByRestore) {
  auto runner = Start();
  ASSERT_TRUE(Acquire(*runner));
  ASSERT_EQ(kill(runner->pid(), SIGKILL), 0);
  EXPECT_EQ(runner->Close(), -SIGKILL);
  EXPECT_EQ(Now(), kTaken);
  EXPECT_WORDING(Restore());
  EXPECT_EQ(Now(), kBefore);
  EXPECT_WORDING(Restore());
}

TEST_F(MachineTest, AKilledOnesSettingsArePutBackByTheNext) {
  auto runner = Start();
  ASSERT_TRUE(Acquire(*runner));
  ASSERT_EQ(kill(runner->pid(), SIGKILL), 0);
  EXPECT_EQ(runner->Close(), -SIGKILL);
  runner = Start();
  EXPECT_EQ(Now(), kBefore);
  ASSERT_TRUE(Acquire(*runner));
  EXPECT_EQ(Now(), kTaken);
}

TEST_F(MachineTest, WhatSomebodyElseHasSetIsLeftAndTold) {
  auto runner = Start();
  ASSERT_TRUE(Acquire(*runner));
  ASSERT_EQ(kill(runner->pid(), SIGKILL), 0);
  EXPECT_EQ(runner->Close(), -SIGKILL);
  Put(kTimers, "1\n");
  Put(kWatchdog, "7\n");
  EXPECT_WORDING(Restore());
  EXPECT_EQ(Now(), "711");
}

TEST_F(MachineTest, AJournalThatCannotBeReadStopsTheChangesAndNothingElse) {
  own_.Put("journal", "benchd-runner settings 2 some-boot\nwhatever\n", 0600);
  auto runner = Start();
  const auto report = Acquire(*runner);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Now(), kBefore);
  EXPECT_FALSE(WatchdogOf(*report).held);
  EXPECT_WORDING(WatchdogOf(*report).why, {{own_.path(), "DIR"}});
  EXPECT_EQ(runner->Run(ScriptOf("exit 3"))->exit.code, 3);
  EXPECT_EQ(runner->Close(), 0);
  const std::string printed = Restore();
  EXPECT_WORDING(printed, {{own_.path(), "DIR"}});
  EXPECT_TRUE(printed.ends_with("\n1\n")) << printed;
}

TEST_F(MachineTest, WithoutAJournalNothingIsChanged) {
  RunnerProcess runner(RunnerIds::kOwn, nullptr, {"--sysfs-root", root_.path()});
  const auto report = Acquire(runner);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Now(), kBefore);
  EXPECT_EQ(WatchdogOf(*report).actual, "1");
  EXPECT_WORDING(WatchdogOf(*report).why);
  runner.Send(wire::ApplyProfile{.profile = "default"});
  EXPECT_FALSE(runner.Await<Result<MachineStatus>>());
}

TEST_F(MachineTest, AppliedSettingsStayUntilTheyAreRestored) {
  auto runner = Start();
  runner->Send(wire::ApplyProfile{.profile = "default"});
  const auto applied = runner->Await<Result<MachineStatus>>();
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(applied->holder, "apply");
  EXPECT_EQ(Now(), kTaken);
  runner->Send(wire::RestoreMachine{});
  ASSERT_TRUE(runner->Await<Result<MachineStatus>>());
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineTest, LooksForNoiseForASecond) {
  auto runner = Start();
  runner->Send(wire::DiagnoseMachine{}, 9);
  const auto sources = runner->Await<Result<std::vector<NoiseSource>>>();
  EXPECT_EQ(runner->answered(), 9U);
  ASSERT_TRUE(sources);
  EXPECT_FALSE(sources->empty()) << "boost is on, and there is no cpuset";
}

TEST_F(MachineTest, KnowsItsProfiles) {
  const auto runner = Start();
  ASSERT_EQ(runner->hello().profiles.size(), 2U);
  EXPECT_EQ(runner->hello().profiles[0].name, "default");
  EXPECT_EQ(runner->hello().profiles[1].name, "strict");
}

TEST_F(MachineTest, EmptiesThePageCacheBeforeEachRunWhereTheProfileSaysSo) {
  constexpr const char* kDrop = "proc/sys/vm/drop_caches";
  Put(kDrop, "0\n");
  const std::string config =
      own_.Put("benchd.toml", "[machine_profile.cold]\ndrop_caches = true\n");
  std::vector<std::string> options = Options();
  options.insert(options.end(), {"--config", config});
  RunnerProcess runner(RunnerIds::kOwn, nullptr, options);
  ASSERT_TRUE(Acquire(runner));
  EXPECT_EQ(runner.Run(ScriptOf("true"))->exit.code, 0);
  EXPECT_EQ(Read(kDrop), "0") << "the default profile does not set it";
  runner.Send(wire::ReleaseMachine{});
  runner.Await<MachineEnd>();
  runner.Send(wire::AcquireMachine{{.profile = "cold"}});
  ASSERT_TRUE(runner.Await<Result<MachineReport>>());
  // proc(5): 3 frees the page cache and reclaimable slab objects.
  EXPECT_EQ(runner.Run(ScriptOf("cat " + (root_ / kDrop) + " >&2; exit 5"))->stderr_tail, "3");
  EXPECT_EQ(Read(kDrop), "3");
}

TEST_F(MachineTest, GivesAProfilesPriorityAndLayoutToItsChildren) {
  const std::string config = own_.Put("benchd.toml",
                                      "[machine_profile.default]\nnice = 7\naslr = \"off\"\n"
                                      "policy = \"batch\"\n");
  std::vector<std::string> options = Options();
  options.insert(options.end(), {"--config", config});
  RunnerProcess runner(RunnerIds::kOwn, nullptr, options);
  ASSERT_TRUE(Acquire(runner));
  // proc(5): field 19 of stat is the nice value, field 41 the policy, 3 = SCHED_BATCH;
  // personality(2): 0x0040000 is ADDR_NO_RANDOMIZE.
  EXPECT_EQ(runner.OutputOf(ScriptOf("cut -d' ' -f19,41 /proc/self/stat; "
                                     "cat /proc/self/personality")),
            "7 3\n00040000\n");
  runner.Send(wire::ReleaseMachine{});
  const MachineEnd end = runner.Await<MachineEnd>();
  ASSERT_FALSE(end.warnings.empty());
  EXPECT_EQ(end.warnings.back().code, "aslr_off");
}

}  // namespace
}  // namespace benchd
