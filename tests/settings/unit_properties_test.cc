#include "daemon/settings/unit_properties.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// A script in place of systemctl, and a folder in place of /run/systemd.
class SystemctlTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(root_ + "/run/system"); }
  void TearDown() override { EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left"; }

  /// sh runs `body`; $1... are the arguments, $root is this test's folder.
  void PutScript(const std::string& body, const std::string& shell = "/bin/sh") const {
    tree_.Put("systemctl", "#!" + shell + "\nroot='" + root_ + "'\n" + body);
    chmod(place_.program.c_str(), 0755);
  }
  /// A script that logs its calls and behaves like systemd 252.
  void PutSystemd(const std::string& answer) const {
    PutScript(
        "echo \"$*\" >> $root/calls\n"
        "case $1 in\n"
        "show) echo '" +
        answer +
        "' ;;\n"
        "set-property)\n"
        "  mkdir -p $root/run/system.control/$3.d\n"
        "  echo \"[Slice]\n$4\" > $root/run/system.control/$3.d/50-AllowedCPUs.conf ;;\n"
        "esac");
  }

  KernelTree tree_;
  std::string root_ = tree_.root();
  SystemctlPlace place_{root_ + "/systemctl", root_ + "/run", std::chrono::milliseconds(10'000)};
};

TEST_F(SystemctlTest, ReadsTheRangesThatSystemdWrites) {
  struct Case {
    const char* answer;
    const char* cpus;
  };
  for (const Case& one :
       {Case{"", ""}, Case{"0", "0"}, Case{"0-1 3 5-7", "0-1,3,5-7"}, Case{"0 1 2", "0-2"}}) {
    PutSystemd(one.answer);
    const auto cpus = SystemctlProperties(place_).AllowedCpus("bench.slice");
    ASSERT_TRUE(cpus) << cpus.error().message;
    EXPECT_EQ(*cpus, one.cpus);
  }
}

TEST_F(SystemctlTest, CallsSystemctlAsItsManualSays) {
  PutSystemd("0");
  SystemctlProperties units(place_);
  ASSERT_TRUE(units.AllowedCpus("bench.slice"));
  ASSERT_TRUE(units.SetAllowedCpus("bench.slice", "1-3,5"));
  EXPECT_EQ(tree_.Get("calls"),
            "show --property=AllowedCPUs --value bench.slice\n"
            "set-property --runtime bench.slice AllowedCPUs=1-3,5\n");
}

TEST_F(SystemctlTest, AnEmptyListLeavesNoDropIn) {
  PutSystemd("");
  SystemctlProperties units(place_);
  ASSERT_TRUE(units.SetAllowedCpus("bench.slice", "1-3"));
  EXPECT_TRUE(
      std::filesystem::exists(root_ + "/run/system.control/bench.slice.d/50-AllowedCPUs.conf"));
  ASSERT_TRUE(units.SetAllowedCpus("bench.slice", ""));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/run/system.control"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/run/system"));
}

TEST_F(SystemctlTest, NeitherDoesAUnitWithoutAFile) {
  PutSystemd("");
  SystemctlProperties units(place_);
  tree_.Put("run/transient/init.scope.d/50-AllowedCPUs.conf", "[Scope]\nAllowedCPUs=0");
  ASSERT_TRUE(units.SetAllowedCpus("init.scope", ""));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/run/transient/init.scope.d"));
}

TEST_F(SystemctlTest, LeavesDropInsThatAreNotItsOwn) {
  PutSystemd("");
  SystemctlProperties units(place_);
  ASSERT_TRUE(units.SetAllowedCpus("system.slice", "0"));
  ASSERT_TRUE(units.SetAllowedCpus("user.slice", "0"));
  tree_.Put("run/system.control/system.slice.d/50-CPUWeight.conf", "[Slice]\nCPUWeight=50");
  ASSERT_TRUE(units.SetAllowedCpus("system.slice", ""));
  EXPECT_EQ(tree_.Get("run/system.control/system.slice.d/50-CPUWeight.conf"),
            "[Slice]\nCPUWeight=50\n");
  EXPECT_FALSE(
      std::filesystem::exists(root_ + "/run/system.control/system.slice.d/50-AllowedCPUs.conf"));
  EXPECT_TRUE(
      std::filesystem::exists(root_ + "/run/system.control/user.slice.d/50-AllowedCPUs.conf"));
}

TEST_F(SystemctlTest, ARefusalCarriesItsFirstLine) {
  PutScript("echo 'Failed to set unit properties: Unit is masked.' >&2; echo more >&2; exit 4");
  const auto set = SystemctlProperties(place_).SetAllowedCpus("bench.slice", "1");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(set.error());
}

TEST_F(SystemctlTest, ARefusedEmptyListLeavesTheDropIn) {
  PutSystemd("0");
  ASSERT_TRUE(SystemctlProperties(place_).SetAllowedCpus("bench.slice", "0"));
  PutScript("exit 1");
  EXPECT_FALSE(SystemctlProperties(place_).SetAllowedCpus("bench.slice", ""));
  EXPECT_TRUE(
      std::filesystem::exists(root_ + "/run/system.control/bench.slice.d/50-AllowedCPUs.conf"));
}

TEST_F(SystemctlTest, AFailureWithoutWordsTellsTheExitCode) {
  PutScript("exit 3");
  EXPECT_WORDING(SystemctlProperties(place_).AllowedCpus("init.scope").error());
  PutScript("kill -9 $$");
  EXPECT_WORDING(SystemctlProperties(place_).AllowedCpus("init.scope").error());
}

TEST_F(SystemctlTest, AnAnswerThatIsNoListIsAnError) {
  PutSystemd("[not set]");
  const auto cpus = SystemctlProperties(place_).AllowedCpus("bench.slice");
  ASSERT_FALSE(cpus);
  EXPECT_WORDING(cpus.error());
}

TEST_F(SystemctlTest, WithoutSystemdNothingIsCalled) {
  PutSystemd("0");
  std::filesystem::remove(root_ + "/run/system");
  SystemctlProperties units(place_);
  EXPECT_EQ(units.AllowedCpus("bench.slice").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(units.SetAllowedCpus("bench.slice", "1").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(tree_.Get("calls"), "");
}

TEST_F(SystemctlTest, WithoutTheProgramItIsUnavailable) {
  for (const std::string& program : {root_ + "/nothing", std::string("benchd-no-such-program")}) {
    place_.program = program;
    const auto cpus = SystemctlProperties(place_).AllowedCpus("bench.slice");
    ASSERT_FALSE(cpus);
    EXPECT_EQ(cpus.error().code, ErrorCode::kUnavailable);
    EXPECT_WORDING(cpus.error(), {{root_, "ROOT"}});
  }
}

TEST_F(SystemctlTest, APlainNameIsLookedForInTheSystemsFolders) {
  place_.program = "true";
  EXPECT_EQ(*SystemctlProperties(place_).AllowedCpus("bench.slice"), "");
}

TEST_F(SystemctlTest, OneThatHangsIsKilled) {
  PutScript("trap '' TERM; echo $$ > $root/pid; exec tail -f /dev/null");
  place_.limit = std::chrono::milliseconds(100);
  const auto cpus = SystemctlProperties(place_).AllowedCpus("bench.slice");
  ASSERT_FALSE(cpus);
  EXPECT_EQ(cpus.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_WORDING(cpus.error());
}

TEST_F(SystemctlTest, DoesNotWaitForWhatSystemctlLeavesBehind) {
  ASSERT_EQ(mkfifo((root_ + "/fifo").c_str(), 0600), 0);
  // cat holds both pipes until the fifo is opened.
  PutScript("cat $root/fifo & echo 0-1");
  EXPECT_EQ(*SystemctlProperties(place_).AllowedCpus("bench.slice"), "0-1");
  UniqueFd fifo(open((root_ + "/fifo").c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_TRUE(fifo);
}

TEST_F(SystemctlTest, ALotOfWordsNeitherBlockNorFillAMessage) {
  PutScript("head -c 1000000 /dev/zero | tr '\\0' x >&2; head -c 1000000 /dev/zero; exit 1");
  const auto cpus = SystemctlProperties(place_).AllowedCpus("bench.slice");
  ASSERT_FALSE(cpus);
  EXPECT_EQ(cpus.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_LT(cpus.error().message.size(), 500U);
}

TEST_F(SystemctlTest, ItsChildKnowsNothingOfTheRunnersSignalsFilesAndVariables) {
  PutScript(
      "grep SigBlk /proc/self/status > $root/blocked\n"
      "grep SigIgn /proc/self/status > $root/ignored\n"
      "ls /proc/self/fd | tr '\\n' ' ' > $root/files\n"
      "readlink /proc/self/fd/0 > $root/input\n"
      "env > $root/environment",
      "/bin/bash");  // dash would unblock all signals itself
  ASSERT_EQ(setenv("BENCHD_TEST_SECRET", "1", 1), 0);
  const UniqueFd leaky(open("/dev/null", O_RDONLY));
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const auto disposition = signal(SIGPIPE, SIG_IGN);
  const auto cpus = SystemctlProperties(place_).AllowedCpus("bench.slice");
  signal(SIGPIPE, disposition);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  unsetenv("BENCHD_TEST_SECRET");
  ASSERT_TRUE(cpus) << cpus.error().message;
  EXPECT_EQ(tree_.Get("blocked"), "SigBlk:\t0000000000000000\n");
  // Signals 32 and 33 belong to the C library, whose posix_spawn() leaves them ignored.
  EXPECT_EQ(std::stoull(tree_.Get("ignored").substr(8), nullptr, 16) & ~0x180000000ULL, 0U);
  EXPECT_EQ(tree_.Get("files"), "0 1 2 3 ") << "3 is ls' own";
  EXPECT_EQ(tree_.Get("input"), "/dev/null\n");
  EXPECT_EQ(tree_.Get("environment").find("SECRET"), std::string::npos);
}

TEST(UnitPropertiesTest, SaysThatThereIsNoSystemd) {
  UnitProperties units;
  EXPECT_EQ(units.AllowedCpus("bench.slice").error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(units.SetAllowedCpus("bench.slice", "1").error());
}

}  // namespace
}  // namespace benchd
