#include "core/base/path.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

// fd(4) of Linux: /dev/fd is /proc/self/fd, /dev/stdin is /proc/self/fd/0.
TEST(NamesADescriptorTest, WhateverTheWayToIt) {
  for (const char* path :
       {"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/dev/fd/0", "/dev/fd/63",
        "/proc/self/fd/0", "/proc/thread-self/fd/3", "//dev/./stdin", "/tmp/../dev/fd/3",
        "/dev//stdin", "/proc/self/../self/fd/1", "/dev/fd/"}) {
    EXPECT_TRUE(NamesADescriptor(path)) << path;
  }
  for (const char* path :
       {"", "/", "/dev/null", "/dev/stdin2", "/dev/fdx", "/dev/fd0", "/home/dev/stdin",
        "/dev/stdin/x", "/proc/self/maps", "/proc/self/fdinfo/0", "dev/stdin"}) {
    EXPECT_FALSE(NamesADescriptor(path)) << path;
  }
}

}  // namespace
}  // namespace benchd
