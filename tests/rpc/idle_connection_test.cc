#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "benchd/v1/queue.grpc.pb.h"
#include "tests/rpc/whole_daemon.h"

namespace benchd::rpc {
namespace {

class IdleConnectionTest : public ::testing::Test, protected WholeDaemon {
 protected:
  IdleConnectionTest() : WholeDaemon(std::chrono::milliseconds(50)) {}

  std::size_t Connections() const { return peers_.OpenConnections(::getuid()); }

  static bool AsksTheQueue(const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    v1::QueueStatus status;
    const auto stub = v1::QueueService::NewStub(channel);
    return stub->Get(&context, v1::GetQueueRequest(), &status).ok();
  }
};

TEST_F(IdleConnectionTest, OneWithoutCallsIsClosedAndOneThatWatchesIsNot) {
  const std::string id = Submit();
  grpc::ClientContext context;
  v1::WatchRequest request;
  request.set_session(id);
  const auto watcher = sessions_->Watch(&context, request);
  v1::SessionEvent event;
  ASSERT_TRUE(watcher->Read(&event));

  const std::shared_ptr<grpc::Channel> idle = ConnectTo(dir_ / "s");
  ASSERT_TRUE(AsksTheQueue(idle));
  ASSERT_TRUE(
      idle->WaitForStateChange(GRPC_CHANNEL_READY, std::chrono::system_clock::now() + kTimeout))
      << "closed by the daemon";
  EXPECT_TRUE(loop_.Await([this] { return Connections() == 1; })) << "the watcher's own is left";
  EXPECT_EQ(channel_->GetState(false), GRPC_CHANNEL_READY);

  EXPECT_TRUE(AsksTheQueue(idle)) << "a channel connects again by itself";
  Work();
  while (watcher->Read(&event)) {
  }
  EXPECT_TRUE(watcher->Finish().ok());
  EXPECT_TRUE(event.has_verdict());
}

}  // namespace
}  // namespace benchd::rpc
