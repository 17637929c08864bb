#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "client/link/autostart.h"
#include "client/link/daemon_link.h"
#include "client/link/host.h"
#include "client/link/step_aside.h"
#include "tests/client/fake_daemon.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

std::string FakeBenchd() { return test::BuiltFile("bin/client_fake_benchd"); }

// Options that cannot reach a daemon of this machine and do not start one.
LinkOptions OptionsIn(const TempFolder& dir) {
  LinkOptions options;
  options.may_start = false;
  options.places.system_socket = dir / "system.sock";
  options.places.runtime_dir = dir.path();
  options.places.uid = getuid();
  return options;
}

Error ErrorOf(const LinkOptions& options) {
  auto link = DaemonLink::Open(options);
  return link ? Error{ErrorCode::kInternal, "connected", ""} : link.error();
}

cpu_set_t OwnCpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  EXPECT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  return cpus;
}

int LastOf(const cpu_set_t& cpus) {
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &cpus)) last = cpu;
  }
  return last;
}

TEST(DaemonLinkTest, AsksWhoAnswers) {
  const TempFolder dir;
  FakeDaemon daemon(dir / "d.sock");
  LinkOptions options = OptionsIn(dir);
  options.socket = dir / "d.sock";
  auto link = DaemonLink::Open(options);
  ASSERT_TRUE(link) << link.error().message;
  EXPECT_EQ((*link)->status().version(), "9.9.9");
}

TEST(DaemonLinkTest, MovesItsThreadsToTheHousekeepingCpus) {
  const cpu_set_t before = OwnCpus();
  const int last = LastOf(before);
  const TempFolder dir;
  {
    FakeDaemon daemon(dir / "d.sock");
    daemon.SetHousekeepingCpus({last});
    LinkOptions options = OptionsIn(dir);
    options.socket = dir / "d.sock";
    auto link = DaemonLink::Open(options);
    ASSERT_TRUE(link) << link.error().message;
    const cpu_set_t now = OwnCpus();
    EXPECT_EQ(CPU_COUNT(&now), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(last), &now));
  }
  sched_setaffinity(0, sizeof before, &before);
}

TEST(StepAsideTest, LowersThePriorityAndGoesToTheHousekeepingCpus) {
  const cpu_set_t before = OwnCpus();
  const int last = LastOf(before);
  const TempFolder dir;
  FakeDaemon daemon(dir / "d.sock");
  daemon.SetHousekeepingCpus({last});
  LinkOptions options = OptionsIn(dir);
  options.socket = dir / "d.sock";
  // In a thread of its own, because the nice value cannot be lowered again.
  std::thread([&options, last] {
    const int usual = getpriority(PRIO_PROCESS, 0);
    StepAside(options);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), std::min(19, usual + 10));
    const cpu_set_t now = OwnCpus();
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(last), &now));
    EXPECT_EQ(CpusOfThisThread(), 1U);
  }).join();
  sched_setaffinity(0, sizeof before, &before);
}

TEST(StepAsideTest, ADaemonThatDoesNotAnswerIsNotWaitedFor) {
  const TempFolder dir;
  LinkOptions options = OptionsIn(dir);
  options.socket = dir / "mute.sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  options.socket->copy(address.sun_path, sizeof address.sun_path - 1);
  const UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  const auto begin = std::chrono::steady_clock::now();
  std::thread([&options] { StepAside(options); }).join();
  // Far below the 10 seconds that commands which need a daemon wait.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(DaemonLinkTest, ADeadNamedSocketIsAnErrorEvenWhereAnotherDaemonRuns) {
  const TempFolder dir;
  std::filesystem::create_directory(dir / "benchd");
  FakeDaemon daemon(dir / "benchd/benchd.sock");
  LinkOptions options = OptionsIn(dir);
  EXPECT_EQ(ErrorOf(options).message, "connected") << "the user socket";
  options.environment_socket = dir / "gone.sock";
  EXPECT_WORDING(ErrorOf(options), {{dir.path(), "DIR"}});
  EXPECT_EQ(ExitFor(ErrorOf(options)), ExitCode::kRefused);
  options.socket = dir / "also-gone.sock";
  EXPECT_WORDING(ErrorOf(options), {{dir.path(), "DIR"}});
}

TEST(DaemonLinkTest, TheSystemSocketComesBeforeTheUsers) {
  const TempFolder dir;
  std::filesystem::create_directory(dir / "benchd");
  FakeDaemon system(dir / "system.sock");
  LinkOptions options = OptionsIn(dir);
  int error = 0;
  EXPECT_EQ(ErrorOf(options).message, "connected");
  EXPECT_FALSE(ConnectUnix(dir / "benchd/benchd.sock", kConnectTimeout, &error));
}

TEST(DaemonLinkTest, NoDaemonIsSaidWithBothPlaces) {
  const TempFolder dir;
  const Error error = ErrorOf(OptionsIn(dir));
  EXPECT_EQ(ExitFor(error), ExitCode::kRefused);
  EXPECT_NE(error.message.find(dir / "system.sock"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find(dir / "benchd/benchd.sock"), std::string::npos) << error.message;
  EXPECT_WORDING(error, {{dir.path(), "DIR"}});
}

TEST(DaemonLinkTest, AnUnusableSystemSocketNamesTheGroupAndIsNoReasonToLookElsewhere) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to become somebody else";
  const TempFolder dir;
  chmod(dir.path().c_str(), 0711);
  std::filesystem::create_directory(dir / "benchd");
  FakeDaemon system(dir / "system.sock");
  chmod((dir / "system.sock").c_str(), 0600);
  // A child is simpler than changing the uid of one thread.
  const pid_t pid = fork();
  if (pid == 0) {
    if (setresuid(65534, 65534, 65534) != 0) _exit(2);
    LinkOptions options = OptionsIn(dir);
    auto fd = ConnectToDaemon(options, false);
    const bool right = !fd && ExitFor(fd.error()) == ExitCode::kRefused &&
                       fd.error().message.find("Permission denied") != std::string::npos &&
                       fd.error().hint.find("group root") != std::string::npos;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(UserSocketTest, IsInTheRuntimeDirectory) {
  SocketPlaces places;
  places.runtime_dir = "/run/user/7";
  EXPECT_EQ(*UserSocket(places), "/run/user/7/benchd/benchd.sock");
}

class FallbackTest : public testing::Test {
 protected:
  FallbackTest() {
    places_.shared_dir = dir_.path();
    places_.uid = getuid();
    directory_ = dir_ / ("benchd-" + std::to_string(getuid()));
  }
  void ExpectRefused() const {
    const auto socket = UserSocket(places_);
    ASSERT_FALSE(socket) << *socket;
    EXPECT_EQ(ExitFor(socket.error()), ExitCode::kRefused);
    EXPECT_TRUE(socket.error().message.starts_with(directory_ + ": ")) << socket.error().message;
    EXPECT_WORDING(socket.error(), {{directory_, "DIR"}, {UserName(65534), "STRANGER"}});
  }

  TempFolder dir_;
  SocketPlaces places_;
  std::string directory_;
};

TEST_F(FallbackTest, TakesADirectoryThatIsNotThereYetOrIsOurs) {
  EXPECT_EQ(UserSocket(places_).value_or(""), directory_ + "/benchd.sock");
  ASSERT_EQ(mkdir(directory_.c_str(), 0700), 0);
  EXPECT_EQ(UserSocket(places_).value_or(""), directory_ + "/benchd.sock");
}

TEST_F(FallbackTest, RefusesALink) {
  ASSERT_EQ(symlink("/tmp", directory_.c_str()), 0);
  ExpectRefused();
}

TEST_F(FallbackTest, RefusesAModeThatLetsOthersIn) {
  ASSERT_EQ(mkdir(directory_.c_str(), 0700), 0);
  ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
  ExpectRefused();
}

TEST_F(FallbackTest, RefusesAFile) {
  std::ofstream(directory_) << "x";
  ExpectRefused();
}

TEST_F(FallbackTest, RefusesAForeignOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to give a directory away";
  ASSERT_EQ(mkdir(directory_.c_str(), 0700), 0);
  ASSERT_EQ(chown(directory_.c_str(), 65534, 65534), 0);
  ExpectRefused();
}

TEST(PeerTest, TrustsOurselvesAndNobodyElse) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  EXPECT_TRUE(CheckPeer(pair[0], getuid()));
  if (getuid() != 0) {
    EXPECT_FALSE(CheckPeer(pair[0], getuid() + 1));
  }
  close(pair[0]);
  close(pair[1]);
}

TEST(PeerTest, RefusesAStranger) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to become somebody else";
  const TempFolder dir;
  chmod(dir.path().c_str(), 0777);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t stranger = fork();
  if (stranger == 0) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (dir / "s.sock").copy(address.sun_path, sizeof address.sun_path - 1);
    const bool listening = setresuid(65534, 65534, 65534) == 0 &&
                           bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                           listen(fd, 1) == 0;
    if (write(ready[1], listening ? "y" : "n", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  LinkOptions options = OptionsIn(dir);
  options.socket = dir / "s.sock";
  const Error error = ErrorOf(options);
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_WORDING(error, {{UserName(65534), "STRANGER"}});
  kill(stranger, SIGKILL);
  waitpid(stranger, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

class AutostartTest : public testing::Test {
 protected:
  AutostartTest() {
    start_.program = FakeBenchd();
    start_.arguments = {"--user", "--idle-exit", "600"};
    start_.log_file = dir_ / "benchd.log";
    setenv("FAKE_BENCHD_REPORT", (dir_ / "report").c_str(), 1);
    setenv("WATCHDOG_USEC", "1000000", 1);
  }
  ~AutostartTest() override {
    for (const char* name : {"FAKE_BENCHD", "FAKE_BENCHD_REPORT", "WATCHDOG_USEC"}) unsetenv(name);
  }

  std::string Report() const {
    std::ifstream file(dir_ / "report");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  TempFolder dir_;
  DaemonStart start_;
};

TEST_F(AutostartTest, WaitsForReadinessAndDetachesTheDaemon) {
  setenv("FAKE_BENCHD", "ready", 1);
  const auto pid = StartDaemon(start_);
  ASSERT_TRUE(pid) << pid.error().message;
  int status = 0;
  ASSERT_EQ(waitpid(*pid, &status, 0), *pid);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Report(),
            "leader 1\ncwd /\nblocked 0\nwatchdog 0\nargument --user\nargument "
            "--idle-exit\nargument 600\n");
}

TEST_F(AutostartTest, ShowsTheEndOfTheLogOfADaemonThatDies) {
  std::ofstream(start_.log_file) << "an older line\n";
  setenv("FAKE_BENCHD", "fail", 1);
  const auto pid = StartDaemon(start_);
  ASSERT_FALSE(pid);
  EXPECT_EQ(ExitFor(pid.error()), ExitCode::kRefused);
  EXPECT_TRUE(pid.error().message.ends_with(": the config: it makes no sense"))
      << pid.error().message;
  EXPECT_TRUE(pid.error().hint.ends_with(start_.log_file)) << pid.error().hint;
  EXPECT_WORDING(pid.error(), {{dir_.path(), "DIR"}});
}

TEST_F(AutostartTest, SaysSoWhenADaemonDiesWithoutAWord) {
  setenv("FAKE_BENCHD", "silent", 1);
  const auto pid = StartDaemon(start_);
  ASSERT_FALSE(pid);
  EXPECT_EQ(ExitFor(pid.error()), ExitCode::kRefused);
  EXPECT_WORDING(pid.error(), {{dir_.path(), "DIR"}});
}

TEST_F(AutostartTest, SaysThatThereIsNoProgram) {
  start_.program = dir_ / "nothing";
  const auto pid = StartDaemon(start_);
  ASSERT_FALSE(pid);
  EXPECT_EQ(ExitFor(pid.error()), ExitCode::kRefused);
  EXPECT_WORDING(pid.error(), {{dir_.path(), "DIR"}});
}

TEST_F(AutostartTest, PutsTheLogIntoTheStateDirectory) {
  const std::string old =
      std::getenv("XDG_STATE_HOME") != nullptr ? std::getenv("XDG_STATE_HOME") : "";
  const std::string old_path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  setenv("XDG_STATE_HOME", (dir_ / "state").c_str(), 1);
  std::filesystem::create_directory(dir_ / "bin");
  std::filesystem::create_symlink(FakeBenchd(), dir_ / "bin/benchd");
  setenv("PATH", (dir_ / "bin").c_str(), 1);
  const auto plan = PlanUserDaemon();
  setenv("PATH", old_path.c_str(), 1);
  old.empty() ? unsetenv("XDG_STATE_HOME") : setenv("XDG_STATE_HOME", old.c_str(), 1);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->log_file, dir_ / "state/benchd/benchd.log");
  EXPECT_EQ(plan->arguments, (std::vector<std::string>{"--user", "--idle-exit", "600", "--log-file",
                                                       dir_ / "state/benchd/benchd.log"}));
  struct stat status {};
  ASSERT_EQ(stat((dir_ / "state/benchd").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST(NotifySocketTest, WithoutAMessageNothingIsReady) {
  auto socket = NotifySocket::Open();
  ASSERT_TRUE(socket) << socket.error().message;
  EXPECT_EQ(socket->address()[0], '@');
  EXPECT_FALSE(socket->TakeReady());
}

}  // namespace
}  // namespace benchd::client
