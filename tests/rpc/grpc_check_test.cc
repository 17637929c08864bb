#include "daemon/rpc/grpc_check.h"

#include <gtest/gtest.h>

namespace benchd::rpc {
namespace {

// Watches longer than benchd does when it starts, because nothing else waits for it here.
TEST(GrpcCheckTest, ThisGrpcKeepsADescriptorUntilTheLastCallOfItsConnectionHasEnded) {
  const Result<void> ok = CheckGrpc(std::chrono::milliseconds(300));
  ASSERT_TRUE(ok) << ok.error().message;
}

}  // namespace
}  // namespace benchd::rpc
