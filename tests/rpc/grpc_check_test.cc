#include "daemon/rpc/grpc_check.h"

#include <gtest/gtest.h>

namespace benchd::rpc {
namespace {

// Longer than benchd looks when it starts: nothing else waits for it here.
TEST(GrpcCheckTest, ThisGrpcKeepsADescriptorUntilTheLastCallOfItsConnectionHasEnded) {
  const Result<void> ok = CheckGrpc(std::chrono::milliseconds(300));
  ASSERT_TRUE(ok) << ok.error().message;
}

}  // namespace
}  // namespace benchd::rpc
