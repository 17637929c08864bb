#include "daemon/rpc/peer_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/rpc/socket_pair.h"

namespace benchd::rpc {
namespace {

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
