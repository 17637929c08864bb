#include "daemon/rpc/peer_credentials.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "tests/rpc/socket_pair.h"
#include "tests/support/temp_folder.h"

namespace benchd::rpc {
namespace {

TEST(ReadPeerTest, TellsThisProcessWhoItIs) {
  const SocketPair pair;
  const mode_t before = ::umask(0137);
  const Result<Caller> caller = ReadPeer(pair.a.get());
  ::umask(before);
  ASSERT_TRUE(caller) << caller.error().message;
  EXPECT_EQ(caller->uid, ::getuid());
  EXPECT_EQ(caller->gid, ::getgid());
  EXPECT_EQ(caller->pid, ::getpid());
  EXPECT_EQ(caller->umask, 0137U);
  std::vector<gid_t> groups(static_cast<std::size_t>(::getgroups(0, nullptr)));
  groups.resize(
      static_cast<std::size_t>(::getgroups(static_cast<int>(groups.size()), groups.data())));
  EXPECT_EQ(caller->groups, std::vector<std::uint32_t>(groups.begin(), groups.end()));
}

TEST(ReadPeerTest, TellsTheSixteenLimits) {
  const SocketPair pair;
  const Result<Caller> caller = ReadPeer(pair.a.get());
  ASSERT_TRUE(caller) << caller.error().message;
  EXPECT_EQ(caller->limits.size(), 16U);  // the number that getrlimit(2) of Linux 6.1 knows
  for (const ResourceLimit& limit : caller->limits) {
    rlimit expected{};
    ASSERT_EQ(::getrlimit(static_cast<__rlimit_resource>(limit.resource), &expected), 0);
    EXPECT_EQ(limit.soft, expected.rlim_cur) << limit.resource;  // RLIM_INFINITY is UINT64_MAX
    EXPECT_EQ(limit.hard, expected.rlim_max) << limit.resource;
  }
}

TEST(ReadPeerTest, OfAProcessThatHasGoneNeitherLimitsNorUmaskAreTold) {
  const TempFolder folder;
  const std::string path = folder / "s";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), where, sizeof(address)), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  const UniqueFd theirs(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const pid_t child = ::fork();
  if (child == 0) {
    ::umask(0137);
    ::_exit(::connect(theirs.get(), where, sizeof(address)));
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const UniqueFd connected(::accept(listener.get(), nullptr, nullptr));
  const Result<Caller> caller = ReadPeer(connected.get());
  ASSERT_TRUE(caller) << caller.error().message;
  EXPECT_EQ(caller->pid, child);
  EXPECT_TRUE(caller->limits.empty());
  EXPECT_EQ(caller->umask, Caller{}.umask);
}

TEST(ReadPeerTest, ADescriptorThatIsNoSocketHasNoIdentity) {
  int fds[2] = {-1, -1};
  ASSERT_EQ(::pipe(fds), 0);
  const UniqueFd read_end(fds[0]);
  const UniqueFd write_end(fds[1]);
  const Result<Caller> caller = ReadPeer(read_end.get());
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().code, ErrorCode::kPermissionDenied);
}

TEST(ParseUmaskTest, ReadsTheOctalNumber) {
  EXPECT_EQ(ParseUmask("Name:\tcat\nUmask:\t0022\nState:\tR\n"), 022U);
  EXPECT_EQ(ParseUmask("Name:\tcat\n"), std::nullopt);
  EXPECT_EQ(ParseUmask("Umask:\t0089\n"), std::nullopt);
  EXPECT_EQ(ParseUmask("Umask:\t77777\n"), std::nullopt);
}

// Lines of /proc/self/limits in the format of Linux 6.1, including its columns.
TEST(ParseLimitsTest, ReadsNumbersAndUnlimitedAndSkipsWhatItDoesNotKnow) {
  const auto limits = ParseLimits(
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max cpu time              unlimited            unlimited            seconds   \n"
      "Max open files            1024                 1048576              files     \n"
      "Max dreams                1                    1                    dreams    \n"
      "Max nice priority         0                    what                           \n");
  const std::vector<ResourceLimit> expected{{RLIMIT_CPU, UINT64_MAX, UINT64_MAX},
                                            {RLIMIT_NOFILE, 1024, 1048576}};
  EXPECT_EQ(limits, expected);
}

}  // namespace
}  // namespace benchd::rpc
