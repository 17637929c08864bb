#include "core/base/user_database.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(UserDatabaseTest, ReadsALineOfPasswd) {
  EXPECT_EQ(ParseUserLine("alice:x:1000:100:Alice,,,:/home/alice:/bin/sh\n"),
            (UserEntry{"alice", 1000, 100, "/home/alice"}));
  EXPECT_EQ(ParseUserLine("alice:x:1000:100"), (UserEntry{"alice", 1000, 100, ""}));
  for (const char* none : {"", "alice", ":x:1000:100:::", "a:x:1000::::", "a:x:1000:-1:::",
                           "a:x:1000:4294967296:::", "+::::::"}) {
    EXPECT_FALSE(ParseUserLine(none)) << none;
  }
}

TEST(UserDatabaseTest, ReadsALineOfGroup) {
  EXPECT_EQ(ParseGroupLine("benchd:x:990:alice,bob\n"), (GroupEntry{"benchd", 990}));
  for (const char* none : {"", "\n", "benchd:x:\n", ":x:1:", "+:::"}) {
    EXPECT_FALSE(ParseGroupLine(none)) << none;
  }
}

// Every user database contains root.
TEST(UserDatabaseTest, FindsWhoIsThere) {
  ASSERT_TRUE(FindUser(0));
  EXPECT_EQ(FindUser(0)->name, "root");
  EXPECT_EQ(FindUser(std::string("root")), FindUser(0));
  EXPECT_EQ(FindGroup(std::string("root")), (GroupEntry{"root", 0}));
  EXPECT_EQ(FindGroup(0), FindGroup(std::string("root")));
}

TEST(UserDatabaseTest, WhoIsNotThereIsNobodyAlsoForGetent) {
  EXPECT_FALSE(FindUser(4'000'000'001));
  EXPECT_FALSE(FindUser(std::string("no-such-user-here")));
  EXPECT_FALSE(FindGroup(std::string("--help")));
  const auto answer = Getent("passwd", "no-such-user-here");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(*answer);
}

}  // namespace
}  // namespace benchd
