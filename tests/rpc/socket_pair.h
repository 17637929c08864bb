#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/base/file.h"

namespace benchd::rpc {

/// Two connected Unix stream sockets.
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

}  // namespace benchd::rpc
