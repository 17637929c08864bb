#include <gtest/gtest.h>

#include <fstream>

#include "daemon/push/pusher.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::push {
namespace {

TEST(PushRowTest, HasAColumnForEachAndCommandsAndLabelsOnlyWhereAskedFor) {
  GateSummary summary{.session = {"a"},
                      .benchmark = std::string("b\0c\xff", 4),
                      .command = "./secret",
                      .labels = {{"k", "v"}}};
  summary.mean_candidate = 0.1 + 0.2;
  const Postgres::Row row = RowOf(summary, {});
  ASSERT_EQ(row.size(), PushedColumns().size());
  EXPECT_EQ(row[3], "bc\xef\xbf\xbd");
  EXPECT_EQ(row[16], "0.30000000000000004");
  EXPECT_FALSE(row[15]);
  EXPECT_FALSE(row[24]);
  EXPECT_FALSE(row[25]);
  const Postgres::Row more = RowOf(summary, {.commands = true, .labels = true});
  EXPECT_EQ(more[24], "./secret");
  EXPECT_EQ(more[25], R"({"k":"v"})");
}

TEST(PushRowTest, AValueOfAMachineThatChangedIsNotPushed) {
  GateSummary summary{.session = {"a"}};
  summary.mean_reference = 1;
  summary.mean_candidate = 2;
  summary.change = Effect{1, {}, {}};
  EXPECT_EQ(RowOf(summary, {})[16], "2");
  summary.control_changed = true;
  const Postgres::Row row = RowOf(summary, {});
  EXPECT_FALSE(row[15]);
  EXPECT_FALSE(row[16]);
  EXPECT_EQ(row[17], "1") << "the row still says what the session found";
}

TEST(PushPositionTest, IsKeptAndBeginsAnewWhereItCannotBeRead) {
  const TempFolder folder;
  const Position position(folder / "position");
  EXPECT_EQ(position.Read(), Position::Place{});
  ASSERT_TRUE(position.Write({7, "abc"}));
  EXPECT_EQ(position.Read(), (Position::Place{7, "abc"}));
  std::ofstream(folder / "position") << "x";
  EXPECT_EQ(position.Read(), Position::Place{});
  EXPECT_FALSE(Position(folder / "none/position").Write({1, "a"}));
}

TEST(PostgresTest, RefusesToSendWithoutTls) {
  const auto plain = Postgres::Connect("postgresql://a@db.example.com/c?sslmode=prefer");
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(plain.error());
  // Looks like a local socket, but libpq connects to another server.
  for (const char* elsewhere :
       {"host=/run/postgresql hostaddr=192.0.2.1 sslmode=prefer",
        "postgresql://a@/c?host=/run/postgresql&hostaddr=192.0.2.1&sslmode=prefer",
        "host=/run/postgresql,db.example.com sslmode=prefer"}) {
    const auto sent = Postgres::Connect(elsewhere);
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(sent.error()) << elsewhere;
  }
  EXPECT_EQ(Postgres::Connect("postgresql://[").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace benchd::push
