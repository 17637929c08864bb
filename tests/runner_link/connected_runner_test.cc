#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "daemon/runner_link/runner_sources.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class ConnectedRunnerTest : public testing::Test {
 protected:
  UniqueFd Listen(int backlog = 4) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listener.get(), backlog), 0);
    return listener;
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "runner.sock";
};

TEST_F(ConnectedRunnerTest, ConnectsToARunnerOfOurOwn) {
  const UniqueFd listener = Listen();
  ConnectedRunner runner(path_);
  const auto socket = runner.Connect();
  ASSERT_TRUE(socket) << socket.error().message;
  const UniqueFd peer(accept(listener.get(), nullptr, nullptr));
  ASSERT_EQ(send(peer.get(), "x", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(recv(socket->get(), &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'x');
}

TEST_F(ConnectedRunnerTest, RefusesARunnerOfSomebodyElse) {
  const UniqueFd listener = Listen();
  ConnectedRunner runner(path_, {geteuid() + 1});
  const auto socket = runner.Connect();
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(socket.error(),
                 {{folder_.path(), "DIR"}, {"uid " + std::to_string(geteuid()), "uid UID"}});
}

TEST_F(ConnectedRunnerTest, RefusesARunnerThatListensAsNobody) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to listen as somebody else";
  constexpr uid_t kNobody = 65534;
  chmod(folder_.path().c_str(), 0777);
  // The kernel keeps the ids at the time of listen().
  ASSERT_EQ(seteuid(kNobody), 0);
  const UniqueFd listener = Listen();
  ASSERT_EQ(seteuid(0), 0);
  ConnectedRunner runner(path_);
  const auto socket = runner.Connect();
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(ConnectedRunnerTest, SaysThatNoRunnerIsThereAndHowToStartIt) {
  ConnectedRunner runner(path_);
  const auto missing = runner.Connect();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(missing.error(), {{folder_.path(), "DIR"}});
  Listen().Reset();
  const auto dead = runner.Connect();
  ASSERT_FALSE(dead);
  EXPECT_EQ(dead.error().code, ErrorCode::kUnavailable);
  EXPECT_WORDING(dead.error(), {{folder_.path(), "DIR"}});
}

TEST_F(ConnectedRunnerTest, DoesNotWaitForARunnerThatDoesNotAccept) {
  const UniqueFd listener = Listen(0);
  ConnectedRunner runner(path_);
  const auto first = runner.Connect();  // fills the backlog
  ASSERT_TRUE(first) << first.error().message;
  const auto second = runner.Connect();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST_F(ConnectedRunnerTest, RefusesAPathThatFitsNoSocketAddress) {
  // sockaddr_un holds 107 bytes and a NUL (unix(7)).
  for (const std::string& path : {std::string(), std::string(108, 'x')}) {
    ConnectedRunner runner(path);
    const auto socket = runner.Connect();
    ASSERT_FALSE(socket);
    EXPECT_EQ(socket.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(socket.error());
  }
}

}  // namespace
}  // namespace benchd
