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
#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "daemon/rpc/connections.h"
#include "tests/support/temp_folder.h"

namespace benchd::rpc {
namespace {

struct SocketPair {
  SocketPair() {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    a.Reset(fds[0]);
    b.Reset(fds[1]);
  }
  UniqueFd a;
  UniqueFd b;
};

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

Caller CallerOf(std::uint32_t uid) {
  Caller caller;
  caller.uid = uid;
  return caller;
}

std::string PeerOf(const UniqueFd& fd) { return "fd:" + std::to_string(fd.get()); }

TEST(PeerTableTest, FindsWhoStandsBehindANumberAndNobodyElse) {
  SocketPair pair;
  PeerTable table;
  const Result<UniqueFd> numbered = table.Register(std::move(pair.a), CallerOf(7));
  ASSERT_TRUE(numbered) << numbered.error().message;
  const std::string peer = PeerOf(*numbered);
  ASSERT_TRUE(table.Find(peer));
  EXPECT_EQ(table.Find(peer)->uid, 7U);
  for (const std::string& other :
       {peer + "0", peer + " ", std::string("unix:"), std::string("fd:"), std::string("fd:x"),
        std::string("ipv4:127.0.0.1:1"), std::string()}) {
    EXPECT_FALSE(table.Find(other)) << other;
  }
}

TEST(PeerTableTest, CountsTheConnectionsThatAreStillOpen) {
  PeerTable table;
  SocketPair open;
  SocketPair closed;
  const Result<UniqueFd> first = table.Register(std::move(open.a), CallerOf(7));
  Result<UniqueFd> second = table.Register(std::move(closed.a), CallerOf(7));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(table.OpenConnections(7), 2U);
  const int number = second->get();
  second->Reset();
  EXPECT_EQ(table.OpenConnections(7), 1U);
  const SocketPair other;
  const UniqueFd reused(::fcntl(other.a.get(), F_DUPFD_CLOEXEC, number));
  ASSERT_EQ(reused.get(), number);
  EXPECT_EQ(table.OpenConnections(7), 1U) << "the same number, not in the table";
  EXPECT_EQ(table.OpenConnections(8), 0U);
}

double CpuSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// CPU time of many counts for a user who has one connection.
double TimeToCount(const PeerTable& table) {
  const double begin = CpuSeconds();
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(table.OpenConnections(7), 1U);
  return CpuSeconds() - begin;
}

// Every connection is counted on the loop's thread before it is accepted.
TEST(PeerTableTest, ToCountAUsersConnectionsTakesNoLongerWhenAnotherHasComeAndGoneOften) {
  PeerTable table;
  SocketPair own;
  const Result<UniqueFd> first = table.Register(std::move(own.a), CallerOf(7));
  ASSERT_TRUE(first);
  const double alone = TimeToCount(table);
  for (int i = 0; i < 900; ++i) {
    SocketPair pair;
    ASSERT_TRUE(table.Register(std::move(pair.a), CallerOf(8)));
  }
  // It used to take twenty times as long.
  EXPECT_LT(TimeToCount(table), 5 * alone);
}

TEST(PeerTableTest, AUsersConnectionIsNotThatOfWhoHadItsNumber) {
  PeerTable table;
  std::optional<int> number;
  {
    SocketPair pair;
    const Result<UniqueFd> numbered = table.Register(std::move(pair.a), CallerOf(7));
    ASSERT_TRUE(numbered);
    number = numbered->get();
  }
  // Until the number is assigned again, to another user.
  for (int i = 0; i < 5000; ++i) {
    SocketPair pair;
    const Result<UniqueFd> numbered = table.Register(std::move(pair.a), CallerOf(8));
    ASSERT_TRUE(numbered) << numbered.error().message;
    if (numbered->get() != *number) continue;
    EXPECT_EQ(table.OpenConnections(7), 0U);
    EXPECT_EQ(table.OpenConnections(8), 1U);
    return;
  }
  FAIL() << *number << " was never assigned again";
}

TEST(PeerTableTest, ANumberComesAgainOnlyWhenAllOthersHaveBeenUsed) {
  PeerTable table;
  std::set<int> numbers;
  SocketPair first_pair;
  const Result<UniqueFd> stays = table.Register(std::move(first_pair.a), CallerOf(1));
  ASSERT_TRUE(stays);
  // Fewer than a round, because the limit of descriptors is usually 1024.
  for (int i = 0; i < 500; ++i) {
    SocketPair pair;
    const Result<UniqueFd> numbered = table.Register(std::move(pair.a), CallerOf(2));
    ASSERT_TRUE(numbered) << numbered.error().message;
    EXPECT_TRUE(numbers.insert(numbered->get()).second) << numbered->get() << " was assigned twice";
  }
  // Several rounds: an open connection keeps its number.
  for (int i = 0; i < 5000; ++i) {
    SocketPair pair;
    const Result<UniqueFd> numbered = table.Register(std::move(pair.a), CallerOf(2));
    ASSERT_TRUE(numbered) << numbered.error().message;
    ASSERT_NE(numbered->get(), stays->get());
  }
  EXPECT_EQ(table.Find(PeerOf(*stays))->uid, 1U);
}

}  // namespace
}  // namespace benchd::rpc
