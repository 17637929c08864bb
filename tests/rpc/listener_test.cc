#include "daemon/rpc/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <future>
#include <string>
#include <vector>

#include "tests/rpc/rpc_support.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

UniqueFd Connect(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

class ListenerTest : public ::testing::Test {
 protected:
  ListenerTest() {
    loop_.Run([this] { listener_.Start(); });
  }
  ~ListenerTest() override {
    loop_.Run([this] { listener_.Close(); });
    loop_.Run([] {});
  }
  bool AwaitConnections(std::size_t count) {
    return loop_.Await([this, count] { return taken_.size() + log_.size() >= count; });
  }

  OpenFolder dir_;
  LoopThread loop_;
  PeerTable peers_;
  std::vector<UniqueFd> taken_;  // loop's thread, like log_
  std::vector<std::string> log_;
  Listener listener_{loop_.executor(), ListenAt(dir_ / "s"), peers_,
                     [this](int fd) { taken_.emplace_back(fd); },
                     [this](const std::string& why) { log_.push_back(why); }};
};

TEST_F(ListenerTest, HandsOverANonBlockingCloseOnExecSocketWhoseCallerIsKnown) {
  const UniqueFd client = Connect(dir_ / "s");
  ASSERT_TRUE(AwaitConnections(1));
  ASSERT_EQ(taken_.size(), 1U);
  const int fd = taken_[0].get();
  EXPECT_TRUE(::fcntl(fd, F_GETFL) & O_NONBLOCK);
  EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
  const auto caller = peers_.Find("fd:" + std::to_string(fd));
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->uid, ::getuid());
  EXPECT_EQ(caller->pid, ::getpid());
}

TEST_F(ListenerTest, ClosesTheConnectionsOfAUidThatHasTooMany) {
  const std::uint64_t kMost = Budgets().At(Limit::kConnectionsAUser);
  std::vector<UniqueFd> clients;
  for (std::size_t i = 0; i <= kMost; ++i) {
    clients.push_back(Connect(dir_ / "s"));
    ASSERT_TRUE(AwaitConnections(i + 1));
  }
  EXPECT_EQ(taken_.size(), kMost);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_WORDING(log_[0], {{"uid " + std::to_string(::getuid()), "uid UID"}});
  char byte = 0;
  EXPECT_EQ(::read(clients.back().get(), &byte, 1), 0) << "closed by the daemon";

  loop_.Run([this] { taken_.clear(); });
  const UniqueFd again = Connect(dir_ / "s");
  ASSERT_TRUE(loop_.Await([this] { return taken_.size() == 1; }));
}

TEST_F(ListenerTest, ASuspendedUserIsDisconnectedAndServedAfterwards) {
  const auto duration = std::chrono::seconds(1);
  const UniqueFd before = Connect(dir_ / "s");
  ASSERT_TRUE(AwaitConnections(1));
  const auto begin = std::chrono::steady_clock::now();
  loop_.Run([this, duration] { listener_.Suspend(::getuid(), duration); });
  char byte = 0;
  EXPECT_EQ(::read(before.get(), &byte, 1), 0) << "its connection goes on";
  loop_.Run([this] { taken_.clear(); });
  const UniqueFd during = Connect(dir_ / "s");
  ASSERT_TRUE(loop_.Await([this] { return taken_.size() == 1; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, duration);
  EXPECT_TRUE(peers_.Find("fd:" + std::to_string(taken_[0].get())));
  EXPECT_WORDING(log_.at(0), {{"uid " + std::to_string(::getuid()), "uid UID"}});
}

TEST_F(ListenerTest, AfterASuspensionConnectionsAreHandedOverOneByOne) {
  loop_.Run([this] { listener_.Suspend(::getuid(), std::chrono::hours(1)); });
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(Connect(dir_ / "s"));
  const auto begin = std::chrono::steady_clock::now();
  loop_.Run([this] { listener_.Suspend(::getuid(), std::chrono::milliseconds(1)); });
  ASSERT_TRUE(loop_.Await([this] { return taken_.size() == 3; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2 * Listener::kBetweenConnections);
}

TEST_F(ListenerTest, ASuspensionMayBeginAnewAndConcernsNobodyElse) {
  loop_.Run([this] {
    listener_.Suspend(::getuid() + 1, std::chrono::hours(1));
    listener_.Suspend(::getuid(), std::chrono::hours(1));
    listener_.Suspend(::getuid(), std::chrono::milliseconds(1));
  });
  const UniqueFd client = Connect(dir_ / "s");
  EXPECT_TRUE(loop_.Await([this] { return taken_.size() == 1; }));
}

TEST_F(ListenerTest, SoManyConnectionsOfASuspendedUserWait) {
  const std::uint64_t most = Budgets().At(Limit::kConnectionsAUser);
  loop_.Run([this] { listener_.Suspend(::getuid(), std::chrono::hours(1)); });
  std::vector<UniqueFd> clients;
  for (std::size_t i = 0; i <= most; ++i) clients.push_back(Connect(dir_ / "s"));
  char byte = 0;
  EXPECT_EQ(::read(clients.back().get(), &byte, 1), 0) << "closed by the daemon";
  EXPECT_TRUE(loop_.Run([this] { return taken_.empty(); }));
}

TEST_F(ListenerTest, TakesNothingAfterClose) {
  loop_.Run([this] { listener_.Close(); });
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (dir_ / "s").c_str(), sizeof(address.sun_path) - 1);
  EXPECT_NE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
}

}  // namespace
}  // namespace benchd::rpc
