#include "core/base/path.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

// fd(4) of Linux: /dev/fd is /proc/self/fd, /dev/stdin is /proc/self/fd/0.
TEST(NamesADescriptorTest, WhateverTheWayToIt) {
  for (const char* path :
       {"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/dev/fd/0", "/dev/fd/63",
        "/proc/self/fd/0", "/proc/thread-self/fd/3", "//dev/./stdin", "/tmp/../dev/fd/3",
        "/dev//stdin", "/proc/self/../self/fd/1", "/dev/fd/", "/proc/1/fd/0",
        "/proc/31/task/32/fd/2"}) {
    EXPECT_TRUE(NamesADescriptor(path)) << path;
  }
  for (const char* path : {"", "/", "/dev/null", "/dev/stdin2", "/dev/fdx", "/dev/fd0",
                           "/home/dev/stdin", "/dev/stdin/x", "/proc/self/maps",
                           "/proc/self/fdinfo/0", "dev/stdin", "/proc/fd/0", "/proc/1x/fd/0"}) {
    EXPECT_FALSE(NamesADescriptor(path)) << path;
  }
}

TEST(LeadsToADescriptorTest, FollowsLinks) {
  const TempFolder folder;
  namespace fs = std::filesystem;
  fs::create_symlink("/dev/stdin", fs::path(folder.path()) / "link");
  fs::create_symlink("link", fs::path(folder.path()) / "chain");
  fs::create_symlink("/proc/self/fd", fs::path(folder.path()) / "folder");
  fs::create_symlink("loop", fs::path(folder.path()) / "loop");
  fs::create_symlink("/dev/null", fs::path(folder.path()) / "null");
  for (const char* name : {"link", "chain", "folder/0"}) {
    EXPECT_TRUE(LeadsToADescriptor((fs::path(folder.path()) / name).string())) << name;
  }
  for (const char* name : {"loop", "null", "missing", "missing/file"}) {
    EXPECT_FALSE(LeadsToADescriptor((fs::path(folder.path()) / name).string())) << name;
  }
}

}  // namespace
}  // namespace benchd
