#include "daemon/control_socket.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <future>
#include <string>

#include "core/base/file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0);
  return info.st_mode & 07777U;
}

/// Creates a socket file on which no process listens, as kill -9 leaves it.
void LeaveDeadSocket(const std::filesystem::path& path) {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(fd.get(), 1), 0);
}

TEST(ControlSocketTest, IsTheUsersAloneInUserModeAndTheGroupsInSystemMode) {
  const TempFolder dir;
  const Result<ControlSocket> user = ControlSocket::Open({.path = dir / "u"});
  ASSERT_TRUE(user) << user.error().message;
  EXPECT_EQ(ModeOf(dir / "u"), 0600U);
  const group* own = ::getgrgid(::getgid());
  ASSERT_NE(own, nullptr);
  const Result<ControlSocket> system =
      ControlSocket::Open({.path = dir / "s", .system_mode = true, .group = own->gr_name});
  ASSERT_TRUE(system) << system.error().message;
  EXPECT_EQ(ModeOf(dir / "s"), 0660U);
}

TEST(ControlSocketTest, BelongsToTheGroupOfTheConfig) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root: gives the socket to a foreign group";
  const group* other = ::getgrgid(65534);
  if (other == nullptr) GTEST_SKIP() << "this machine has no group 65534";
  const TempFolder dir;
  const Result<ControlSocket> socket =
      ControlSocket::Open({.path = dir / "s", .system_mode = true, .group = other->gr_name});
  ASSERT_TRUE(socket) << socket.error().message;
  struct stat info {};
  ASSERT_EQ(::lstat((dir / "s").c_str(), &info), 0);
  EXPECT_EQ(info.st_gid, 65534U);
}

TEST(ControlSocketTest, AGroupThatDoesNotExistIsNamed) {
  const TempFolder dir;
  const Result<ControlSocket> socket =
      ControlSocket::Open({.path = dir / "s", .system_mode = true, .group = "no-such-group"});
  ASSERT_FALSE(socket);
  EXPECT_WORDING(socket.error());
}

TEST(ControlSocketTest, ReplacesADeadDaemonsSocketAndRemovesItsOwn) {
  const TempFolder dir;
  LeaveDeadSocket(dir / "s");
  EXPECT_FALSE(SomebodyListens(dir / "s"));
  {
    const Result<ControlSocket> socket = ControlSocket::Open({.path = dir / "s"});
    ASSERT_TRUE(socket) << socket.error().message;
    EXPECT_TRUE(SomebodyListens(dir / "s"));
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "s"));
  EXPECT_FALSE(SomebodyListens(dir / "s"));
}

TEST(ControlSocketTest, NeverTakesALiveSocketOrAFile) {
  const TempFolder dir;
  const Result<ControlSocket> live = ControlSocket::Open({.path = dir / "s"});
  ASSERT_TRUE(live);
  const Result<ControlSocket> second = ControlSocket::Open({.path = dir / "s"});
  ASSERT_FALSE(second);
  EXPECT_WORDING(second.error(), {{dir.path(), "DIR"}});
  EXPECT_TRUE(SomebodyListens(dir / "s"));
  dir.Put("f", "precious");
  const Result<ControlSocket> instead_of_a_file = ControlSocket::Open({.path = dir / "f"});
  ASSERT_FALSE(instead_of_a_file);
  EXPECT_WORDING(instead_of_a_file.error(), {{dir.path(), "DIR"}});
  EXPECT_TRUE(std::filesystem::exists(dir / "f"));
}

// sd_listen_fds(3): LISTEN_PID is the process, LISTEN_FDS the number of descriptors from 3 on.
TEST(ControlSocketTest, AdoptsSystemdsSocketAndLeavesItsFile) {
  const TempFolder dir;
  const pid_t child = ::fork();
  if (child == 0) {
    Result<ControlSocket> own = ControlSocket::Open({.path = dir / "s"});
    UniqueFd fd = own->TakeFd();
    if (fd.get() != 3 && ::dup2(fd.get(), 3) != 3) ::_exit(10);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    {
      Result<ControlSocket> adopted = ControlSocket::Open({.path = dir / "s"});
      if (!adopted || !adopted->adopted()) ::_exit(11);
      if (!(::fcntl(3, F_GETFD) & FD_CLOEXEC)) ::_exit(12);
    }
    if (!std::filesystem::exists(dir / "s")) ::_exit(13);
    if (::getenv("LISTEN_FDS") != nullptr) ::_exit(14);
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "exit code " << WEXITSTATUS(status);
}

TEST(InstanceLockTest, ASecondOneIsToldWhoHoldsIt) {
  const TempFolder dir;
  {
    const Result<InstanceLock> first = InstanceLock::Take(dir / "lock");
    ASSERT_TRUE(first) << first.error().message;
    const Result<InstanceLock> second = InstanceLock::Take(dir / "lock");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
    EXPECT_WORDING(second.error(),
                   {{dir.path(), "DIR"}, {"pid " + std::to_string(::getpid()), "pid PID"}});
  }
  EXPECT_TRUE(InstanceLock::Take(dir / "lock")) << "released with its holder";
}

TEST(InstanceLockTest, WaitsForTheUnbornProgramOfADaemonThatWasKilled) {
  const TempFolder dir;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd held(ends[0]);
  UniqueFd hold(ends[1]);
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    hold.Reset();
    const Result<InstanceLock> lock = InstanceLock::Take(dir / "lock");
    if (!lock) ::_exit(1);
    // Does not reach its execve before the test allows it.
    char end = 0;
    if (::fork() == 0) ::_exit(static_cast<int>(::read(held.get(), &end, 1)));
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
  ASSERT_EQ(status, 0);
  const UniqueFd file(::open((dir / "lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_NE(::flock(file.get(), LOCK_EX | LOCK_NB), 0) << "still held";
  std::future<Result<InstanceLock>> next =
      std::async(std::launch::async, [&dir] { return InstanceLock::Take(dir / "lock"); });
  // Long enough for a caller that gives up at once; the result does not depend on the time.
  EXPECT_EQ(next.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  hold.Reset();
  const Result<InstanceLock> taken = next.get();
  EXPECT_TRUE(taken) << taken.error().message;
}

TEST(InstanceLockTest, FollowsNoLink) {
  const TempFolder dir;
  dir.Put("target", "");
  std::filesystem::create_symlink(dir / "target", dir / "lock");
  EXPECT_FALSE(InstanceLock::Take(dir / "lock"));
}

}  // namespace
}  // namespace benchd
