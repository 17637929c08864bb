#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <asio/io_context.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "daemon/runner_link/runner_sources.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// A folder with shell scripts that stand in for benchd-runner. The test reads what they print on
/// descriptor 3 from its end of the socket.
class SpawnedRunnerTest : public testing::Test {
 protected:
  std::string Script(const std::string& text) {
    return folder_.Put("runner", "#!/bin/sh\n" + text + "\n", 0700);
  }

  SpawnedRunner::Options Options(const std::string& script) {
    SpawnedRunner::Options options;
    options.program = Script(script);
    return options;
  }

  UniqueFd Connect(SpawnedRunner& runner) {
    auto socket = runner.Connect();
    EXPECT_TRUE(socket) << socket.error().message;
    return socket ? std::move(*socket) : UniqueFd();
  }

  /// Returns the script's output up to a line END, which is left out.
  std::string Printed(const UniqueFd& socket) {
    std::string text;
    while (text.find("END\n") == std::string::npos) {
      pollfd ready{socket.get(), POLLIN, 0};
      char buffer[4096];
      const ssize_t count =
          poll(&ready, 1, 20'000) == 1 ? recv(socket.get(), buffer, sizeof(buffer), 0) : -1;
      if (count <= 0) {
        ADD_FAILURE() << "the script ended after " << text;
        return text;
      }
      text.append(buffer, static_cast<std::size_t>(count));
    }
    return text.substr(0, text.find("END\n"));
  }

  bool IsGone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

  asio::io_context io_;
  TempFolder folder_;
};

constexpr const char* kTellPidAndStay = "echo $$ >&3; echo END >&3; exec cat <&3";

TEST_F(SpawnedRunnerTest, TellsTheRunnerItsSocketSysfsAndConfig) {
  auto options = Options("echo \"$*\" >&3; echo END >&3");
  options.sysfs_root = "/tmp/sys";
  options.config = "/tmp/a b.toml";
  SpawnedRunner runner(io_.get_executor(), options);
  const UniqueFd socket = Connect(runner);
  EXPECT_EQ(Printed(socket), "--socket fd:3 --sysfs-root /tmp/sys --config /tmp/a b.toml\n");
}

TEST_F(SpawnedRunnerTest, LeavesOutWhatIsNotSet) {
  SpawnedRunner runner(io_.get_executor(), Options("echo \"$*\" >&3; echo END >&3"));
  const UniqueFd socket = Connect(runner);
  EXPECT_EQ(Printed(socket), "--socket fd:3\n");
}

TEST_F(SpawnedRunnerTest, HandsOverNoDescriptorBesidesTheSocketAndNoInput) {
  const UniqueFd stray(open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  ASSERT_GT(stray.get(), 2);
  // The shell uses 10 for the script.
  SpawnedRunner runner(io_.get_executor(), Options("for f in 0 1 2 3 4 5 6 7 8 9; do\n"
                                                   "[ -e /proc/$$/fd/$f ] && echo $f >&3; done\n"
                                                   "readlink /proc/$$/fd/0 >&3; echo END >&3"));
  const UniqueFd socket = Connect(runner);
  EXPECT_EQ(Printed(socket), "0\n1\n2\n3\n/dev/null\n");
}

TEST_F(SpawnedRunnerTest, StartsWithFreshSignalsInAProcessGroupOfItsOwn) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler = signal(SIGPIPE, SIG_IGN);
  SpawnedRunner runner(
      io_.get_executor(),
      // The shell reads the file itself, because some shells block signals while they wait for a
      // child.
      Options("while read -r name value; do case $name in\n"
              "SigBlk: | SigIgn:) echo $name$value >&3;; esac; done </proc/$$/status\n"
              "[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo leader >&3; echo END >&3"));
  const UniqueFd socket = Connect(runner);
  const std::string printed = Printed(socket);
  const std::string ignored = "\nSigIgn:";
  EXPECT_EQ(printed.rfind("SigBlk:0000000000000000\n", 0), 0U) << printed;
  ASSERT_NE(printed.find(ignored), std::string::npos) << printed;
  // glibc reserves 32 and 33: posix_spawn ignores them in every child.
  const auto mask =
      std::stoull(printed.substr(printed.find(ignored) + ignored.size()), nullptr, 16);
  EXPECT_EQ(mask & 0x7FFFFFFFU, 0U) << printed;
  EXPECT_NE(printed.find("\nleader\n"), std::string::npos) << printed;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGPIPE, handler);
}

TEST_F(SpawnedRunnerTest, StartsRunnersOnTheCpusThatBenchdHadBeforeItPinnedItself) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "needs two CPUs";
  SpawnedRunner runner(
      io_.get_executor(),
      Options("grep Cpus_allowed_list: /proc/$$/status | cut -f2 >&3; echo END >&3"));
  const std::string all = Printed(Connect(runner));
  runner.Disconnected();

  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  sched_setaffinity(0, sizeof(one), &one);
  EXPECT_EQ(Printed(Connect(runner)), all);
  cpu_set_t after;
  sched_getaffinity(0, sizeof(after), &after);
  EXPECT_TRUE(CPU_EQUAL(&after, &one)) << "the affinity of benchd itself is unchanged";
  sched_setaffinity(0, sizeof(before), &before);
}

TEST_F(SpawnedRunnerTest, ReapsARunnerThatLeavesWhenItsSocketCloses) {
  SpawnedRunner runner(io_.get_executor(), Options(kTellPidAndStay));
  UniqueFd socket = Connect(runner);
  const pid_t pid = std::stoi(Printed(socket));
  EXPECT_EQ(kill(pid, 0), 0);
  socket.Reset();
  runner.Disconnected();
  io_.run();  // ends when there is no runner to wait for
  EXPECT_TRUE(IsGone(pid));
}

TEST_F(SpawnedRunnerTest, ReapsARunnerThatIsKilled) {
  SpawnedRunner runner(io_.get_executor(), Options(kTellPidAndStay));
  const UniqueFd socket = Connect(runner);
  const pid_t pid = std::stoi(Printed(socket));
  kill(pid, SIGKILL);
  io_.run();
  EXPECT_TRUE(IsGone(pid));
}

TEST_F(SpawnedRunnerTest, KillsARunnerThatDoesNotLeave) {
  auto options = Options("echo $$ >&3; echo END >&3; exec 3>&-; exec sleep 600");
  options.grace = std::chrono::milliseconds(1);
  SpawnedRunner runner(io_.get_executor(), options);
  UniqueFd socket = Connect(runner);
  const pid_t pid = std::stoi(Printed(socket));
  socket.Reset();
  runner.Disconnected();
  io_.run();
  EXPECT_TRUE(IsGone(pid));
}

TEST_F(SpawnedRunnerTest, LeavesNoRunnerBehindWhenDestroyed) {
  std::vector<pid_t> pids;
  {
    auto options = Options("echo $$ >&3; echo END >&3; exec sleep 600");
    options.grace = std::chrono::milliseconds(1);
    SpawnedRunner stubborn(io_.get_executor(), options);
    pids.push_back(std::stoi(Printed(Connect(stubborn))));
    SpawnedRunner obedient(io_.get_executor(), Options(kTellPidAndStay));
    pids.push_back(std::stoi(Printed(Connect(obedient))));
  }
  for (const pid_t pid : pids) EXPECT_TRUE(IsGone(pid));
  io_.run();  // they have no handlers left on the loop
}

TEST_F(SpawnedRunnerTest, StartsAnotherRunnerForEveryConnection) {
  SpawnedRunner runner(io_.get_executor(), Options(kTellPidAndStay));
  UniqueFd first = Connect(runner);
  const std::string first_pid = Printed(first);
  first.Reset();
  runner.Disconnected();
  const UniqueFd second = Connect(runner);
  EXPECT_NE(Printed(second), first_pid);
}

TEST_F(SpawnedRunnerTest, SaysWhichProgramCannotBeStarted) {
  SpawnedRunner::Options options;
  options.program = folder_ / "missing";
  SpawnedRunner runner(io_.get_executor(), options);
  const auto socket = runner.Connect();
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(socket.error(), {{folder_.path(), "DIR"}});
}

TEST_F(SpawnedRunnerTest, IsFoundBesideBenchdOrInLibexec) {
  const std::filesystem::path bin = folder_ / "bin";
  const std::filesystem::path libexec = folder_ / "libexec/benchd";
  std::filesystem::create_directories(bin);
  std::filesystem::create_directories(libexec);
  const auto missing = FindRunnerProgram(bin / "benchd");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(missing.error(), {{folder_.path(), "DIR"}});
  std::filesystem::copy_file(Script("true"), libexec / "benchd-runner");
  EXPECT_EQ(*FindRunnerProgram(bin / "benchd"), libexec / "benchd-runner");
  std::filesystem::copy_file(Script("true"), bin / "benchd-runner");
  EXPECT_EQ(*FindRunnerProgram(bin / "benchd"), bin / "benchd-runner");
}

}  // namespace
}  // namespace benchd
