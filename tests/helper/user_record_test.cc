#include <gtest/gtest.h>
#include <unistd.h>

#include "daemon/helper/lookup.h"

namespace benchd {
namespace {

TEST(UserRecordTest, TakesNameAndGroupOfAPasswdLine) {
  wire::UserRecord record;
  ASSERT_TRUE(TakePasswdLine("alice:x:1000:100:Alice,,,:/home/alice:/bin/sh\n", 1000, record));
  EXPECT_TRUE(record.known);
  EXPECT_EQ(record.name, "alice");
  EXPECT_EQ(record.gid, 100U);
}

TEST(UserRecordTest, ALineOfAnotherUserOrNoneIsRefused) {
  for (const char* line : {"", "alice", "alice:x:1001:100:::", ":x:1000:100:::", "a:x:1000::::",
                           "a:x:1000:-1:::", "a:x:1000:4294967296:::"}) {
    wire::UserRecord record;
    EXPECT_FALSE(TakePasswdLine(line, 1000, record)) << line;
    EXPECT_FALSE(record.known) << line;
  }
}

TEST(UserRecordTest, TakesTheNumbersAfterTheName) {
  EXPECT_EQ(*ParseInitgroups("alice                 27 100 1001\n", "alice"),
            (std::vector<std::uint32_t>{27, 100, 1001}));
  EXPECT_TRUE(ParseInitgroups("alice               \n", "alice")->empty());
  EXPECT_FALSE(ParseInitgroups("bob 27\n", "alice"));
  EXPECT_FALSE(ParseInitgroups("alice 27 x\n", "alice"));
  EXPECT_FALSE(ParseInitgroups("alice -1\n", "alice"));
}

// root:x:0:0 is in every database.
TEST(UserRecordTest, AsksTheDatabaseOfThisMachine) {
  const auto root = LookUpUser(0, "root");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_TRUE(root->known);
  EXPECT_EQ(root->name, "root");
  EXPECT_EQ(root->gid, 0U);
  EXPECT_EQ(root->socket_gid, 0U);
}

TEST(UserRecordTest, WhoIsNotThereIsUnknownAndNoError) {
  const auto record = LookUpUser(4'000'000'001, "no-such-group-here");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_FALSE(record->known);
  EXPECT_FALSE(record->socket_gid);
}

}  // namespace
}  // namespace benchd
