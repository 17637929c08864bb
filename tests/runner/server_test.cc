// The runner as a service: which peers may connect, one after another, and its configuration.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "daemon/wire/channel.h"
#include "tests/runner/runner_process.h"
#include "tests/runner/service_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(ServerTest, ServesOneBenchdAfterTheOther) {
  const TempFolder folder;
  Service service(folder, {"--config", folder.Put("benchd.toml", OwnUser())});
  ASSERT_NE(service.ReadLine().find("ready"), std::string::npos);
  struct stat info {};
  ASSERT_EQ(stat(service.socket_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);

  UniqueFd first = service.Connect();
  EXPECT_TRUE(IsServed(first.get()));
  const UniqueFd second = service.Connect();
  EXPECT_FALSE(IsServed(second.get())) << "a second connection at the same time is closed";
  EXPECT_TRUE(IsServed(first.get()));
  first.Reset();
  const UniqueFd third = service.Connect();
  EXPECT_TRUE(IsServed(third.get()));
  EXPECT_EQ(service.Stop(), 0);
  EXPECT_FALSE(std::filesystem::exists(service.socket_path()));
}

// A runner that starts slowly finds clients that gave up before the one that waits.
TEST(ServerTest, WhoGaveUpAfterAskingStandsInNobodysWay) {
  const TempFolder folder;
  Service service(folder, {"--config", folder.Put("benchd.toml", OwnUser())});
  ASSERT_NE(service.ReadLine().find("ready"), std::string::npos);
  ASSERT_EQ(kill(service.pid(), SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(waitpid(service.pid(), &status, WUNTRACED), service.pid());
  for (int i = 0; i < 3; ++i) {
    const UniqueFd gone = service.Connect();
    ASSERT_TRUE(wire::SendRecord(gone.get(), wire::Encode(wire::Hello{})));
  }
  const UniqueFd waiting = service.Connect();
  ASSERT_EQ(kill(service.pid(), SIGCONT), 0);
  EXPECT_TRUE(IsServed(waiting.get()));
  EXPECT_EQ(service.Stop(), 0);
}

TEST(ServerTest, ABenchdThatDiesLeavesNothingRunningForTheNext) {
  const TempFolder folder;
  const Leash leash(folder);
  Service service(folder, {"--config", folder.Put("benchd.toml", OwnUser())});
  ASSERT_NE(service.ReadLine().find("ready"), std::string::npos);
  UniqueFd first = service.Connect();
  ASSERT_TRUE(IsServed(first.get()));
  const auto child =
      ScriptOf("exec 9>" + leash.path() + "; sleep 1000 & echo ready >&9; exec sleep 1000");
  ASSERT_TRUE(wire::SendRecord(first.get(), wire::Encode(wire::OpenChild{0, child})));
  ASSERT_TRUE(wire::SendRecord(first.get(), wire::Encode(wire::RunBatch{{.runs = {{}}}})));
  ASSERT_EQ(leash.ReadLine(), "ready");
  first.Reset();
  const UniqueFd second = service.Connect();
  EXPECT_TRUE(IsServed(second.get()));
  leash.AwaitEnd();
  EXPECT_EQ(service.Stop(), 0);
}

TEST(ServerTest, ServesTheConfiguredUserAndNotEvenRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a second user";
  const TempFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  Service service(folder, {"--config", folder.Put("benchd.toml", "[runner]\nuser = 65534\n")});
  ASSERT_NE(service.ReadLine().find("ready for uid 65534"), std::string::npos);
  struct stat info {};
  ASSERT_EQ(stat(service.socket_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kNobodyId);
  EXPECT_EQ(info.st_mode & 0777, 0600U);

  EXPECT_FALSE(IsServed(service.Connect().get()));
  EXPECT_WORDING(service.ReadLine());
  const pid_t pid = fork();
  if (pid == 0) {
    BecomeNobody();
    _exit(IsServed(service.Connect().get()) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST(ServerTest, TellsTheWatchdogThatItLives) {
  const TempFolder folder;
  const UniqueFd systemd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = AddressOf(folder / "notify");
  ASSERT_EQ(bind(systemd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  setenv("NOTIFY_SOCKET", (folder / "notify").c_str(), 1);
  setenv("WATCHDOG_USEC", "20000", 1);
  {
    Service service(folder, {"--config", folder.Put("benchd.toml", OwnUser())});
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    for (const char* expected : {"READY=1", "WATCHDOG=1", "WATCHDOG=1"}) {
      char text[64];
      const ssize_t count = recv(systemd.get(), text, sizeof(text), 0);
      ASSERT_GT(count, 0);
      EXPECT_EQ(std::string(text, static_cast<std::size_t>(count)), expected);
    }
  }
}

TEST(ServerTest, ReplacesADeadRunnersSocketButNotALiveOnesOrAFile) {
  const TempFolder folder;
  const std::string config = folder.Put("benchd.toml", OwnUser());
  const std::string path = folder / "runner.sock";
  {
    const UniqueFd dead(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const sockaddr_un address = AddressOf(path);
    ASSERT_EQ(bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  Service service(folder, {"--config", config});
  ASSERT_NE(service.ReadLine().find("ready"), std::string::npos);
  {
    Service second(folder, {"--config", config});
    EXPECT_WORDING(second.ReadLine(), {{folder.path(), "DIR"}});
    EXPECT_EQ(second.Wait(), 1);
  }
  EXPECT_TRUE(IsServed(service.Connect().get()));
  EXPECT_EQ(service.Stop(), 0);

  folder.Put("runner.sock", "a file");
  Service third(folder, {"--config", config});
  EXPECT_WORDING(third.ReadLine(), {{folder.path(), "DIR"}});
  EXPECT_EQ(third.Wait(), 1);
}

TEST(ServerTest, HoldsTheJournalWhileItLives) {
  const TempFolder folder;
  // Limits that are unavailable here would cause warnings before it is ready.
  const std::string config =
      folder.Put("benchd.toml", OwnUser() + "[children]\nmemory_mib = \"none\"\npids = \"none\"\n");
  const std::string journal = folder / "journal";
  // No setting is taken without a session; the empty root makes sure of that.
  std::filesystem::create_directories(folder / "sys/devices/system/cpu");
  folder.Put("sys/devices/system/cpu/online", ReadFile("/sys/devices/system/cpu/online"));
  const std::string root = "--sysfs-root=" + folder.path();
  Service service(folder, {"--config", config, "--journal", journal, root});
  ASSERT_NE(service.ReadLine().find("ready"), std::string::npos);
  Service restore(folder, {"--restore", "--journal", journal, root});
  EXPECT_WORDING(restore.ReadLine(), {{folder.path(), "DIR"}});
  EXPECT_EQ(restore.Wait(), 1);
  EXPECT_EQ(service.Stop(), 0);
  Service again(folder, {"--restore", "--journal", journal, root});
  EXPECT_EQ(again.Wait(), 0);
}

struct BadConfig {
  const char* name;
  const char* text;
};

class BadConfigTest : public testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigTest, IsNamedWithItsLine) {
  const TempFolder folder;
  const std::string config = folder.Put("benchd.toml", GetParam().text);
  Service service(folder, {"--config", config});
  EXPECT_WORDING(service.ReadLine(), {{folder.path(), "DIR"}});
  EXPECT_EQ(service.Wait(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadConfigTest,
    testing::Values(BadConfig{"UnknownKey", "[runner]\nuser = 0\ncolour = 1\n"},
                    BadConfig{"WrongType", "[runner]\nuser = [1]\n"},
                    BadConfig{"NoTable", "runner = 1\n"},
                    BadConfig{"NoUser", "[runner]\nuser = \"no-such-user-here\"\n"},
                    BadConfig{"NoCpuList", "[runner]\nbenchmark_cpus = \"x\"\n"},
                    BadConfig{"MissingCpu", "[runner]\nbenchmark_cpus = \"1000\"\n"}),
    [](const testing::TestParamInfo<BadConfig>& instance) { return instance.param.name; });

// The rest of the line is toml++'s and differs between its versions.
TEST(ConfigTest, AFileThatIsNoTomlIsNamedWithItsLine) {
  const TempFolder folder;
  const std::string config = folder.Put("benchd.toml", "[runner\n");
  Service service(folder, {"--config", config});
  const std::string line = service.ReadLine();
  EXPECT_NE(line.find(config + ": line 1: "), std::string::npos) << line;
  EXPECT_EQ(service.Wait(), 1);
}

TEST(ConfigTest, OtherSectionsAreNotOurs) {
  const TempFolder folder;
  Service service(folder,
                  {"--config", folder.Put("benchd.toml", "[socket]\ngroup = \"x\"\n" + OwnUser())});
  EXPECT_NE(service.ReadLine().find("ready"), std::string::npos);
}

TEST(ConfigTest, AMissingFileIsAnErrorWhenItWasNamed) {
  const TempFolder folder;
  Service service(folder, {"--config", folder / "gone"});
  EXPECT_WORDING(service.ReadLine(), {{folder.path(), "DIR"}});
  EXPECT_EQ(service.Wait(), 1);
}

TEST(ConfigTest, RootTakesNoFileThatOthersMayChange) {
  if (geteuid() != 0) GTEST_SKIP() << "only root checks the owner";
  const TempFolder folder;
  const std::string config = folder.Put("benchd.toml", OwnUser(), 0666);
  {
    Service service(folder, {"--config", config});
    EXPECT_WORDING(service.ReadLine(), {{folder.path(), "DIR"}});
    EXPECT_EQ(service.Wait(), 1);
  }
  ASSERT_EQ(chmod(config.c_str(), 0644), 0);
  ASSERT_EQ(chown(config.c_str(), kNobodyId, kNobodyId), 0);
  Service service(folder, {"--config", config});
  EXPECT_WORDING(service.ReadLine(), {{folder.path(), "DIR"}});
  EXPECT_EQ(service.Wait(), 1);
}

TEST(ServerTest, AnInheritedDescriptorOfAnotherKindIsRefused) {
  const TempFolder folder;
  for (const char* name : {"fd:0", "fd:", "fd:x", "fd:999"}) {
    Service service(folder, {"--socket", name});
    EXPECT_WORDING(service.ReadLine()) << name;
    EXPECT_EQ(service.Wait(), 1);
  }
}

}  // namespace
}  // namespace benchd
